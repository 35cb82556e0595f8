/* What the compiled kernels expect below them in place of an interpreter: short-lived arrays, and
   a way to say that they gave up. Made for the releases of the compiler that are named in
   hil/fmu/shared_library.py: the layout of `Block` is that of its memory information. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static _Thread_local int model_failed;

typedef struct {
    size_t references;
    void *ended;
    void *ended_with;
    void *data;
    size_t size;
    void *allocator;
} Block;

/* All arrays of a call live in an arena that belongs to the instance; each call begins with an
   empty one. These few words are of the thread that calls (see -ftls-model in compiled.py). */
static _Thread_local unsigned char *arena;
static _Thread_local size_t room, used, living;

void runtime_begin(unsigned char *begin, size_t size) {
    arena = begin;
    room = size;
    used = living = 0;
    model_failed = 0;
}

int runtime_failed(void) { return model_failed; }

static int ours(const void *p) {
    return (uintptr_t)p >= (uintptr_t)arena && (uintptr_t)p < (uintptr_t)arena + room;
}

void *NRT_MemInfo_alloc_aligned(size_t size, unsigned align) {
    size_t need = sizeof(Block) + align + size, data;
    unsigned char *place;
    Block *block;
    need = (need + 63) & ~(size_t)63;
    if (used + need <= room) {
        place = arena + used;
        used += need;
        living++;
    } else {
        place = malloc(need);
        if (place == NULL) { model_failed = 1; return NULL; }
    }
    block = (Block *)place;
    data = (size_t)(place + sizeof(Block));
    if (align > 1) data = (data + align - 1) / align * align;
    block->references = 1;
    block->ended = block->ended_with = block->allocator = NULL;
    block->data = (void *)data;
    block->size = size;
    return block;
}

void NRT_MemInfo_call_dtor(void *block) {
    if (!ours(block)) free(block);
    else if (--living == 0) used = 0;
}

void NRT_Free(void *p) { (void)p; /* of error texts only, of which there are none */ }

/* Arrays of the kernels are contiguous, in the order of C. */
int numba_attempt_nocopy_reshape(intptr_t n, const intptr_t *sizes, const intptr_t *strides,
    intptr_t new_n, const intptr_t *new_sizes, intptr_t *new_strides, intptr_t item, int fortran) {
    intptr_t next = item;
    if (fortran) return 0;
    for (intptr_t k = n - 1; k >= 0; k--) {
        if (sizes[k] != 1 && strides[k] != next) return 0;
        next *= sizes[k];
    }
    next = item;
    for (intptr_t k = new_n - 1; k >= 0; k--) {
        new_strides[k] = next;
        next *= new_sizes[k];
    }
    return 1;
}

/* The way of an error, which an interpreter would raise. */
static char nothing[64];
void *PyExc_RuntimeError = nothing, *PyExc_StopIteration = nothing, *PyExc_SystemError = nothing;
void numba_gil_ensure(int *state) { (void)state; }
void numba_gil_release(int *state) { (void)state; }
void numba_do_raise(void *what) { (void)what; model_failed = 1; }
void *numba_unpickle(void *data, int size, void *hash) {
    (void)data; (void)size; (void)hash;
    model_failed = 1;
    return NULL;
}
void *numba_runtime_build_excinfo_struct(void *a, void *b) {
    (void)a; (void)b;
    model_failed = 1;
    return NULL;
}
void PyErr_Clear(void) {}
void PyErr_SetNone(void *kind) { (void)kind; model_failed = 1; }
void PyErr_SetString(void *kind, const char *text) { (void)kind; (void)text; model_failed = 1; }
void PyErr_WriteUnraisable(void *where) { (void)where; model_failed = 1; }
void *PyBytes_FromStringAndSize(const char *text, intptr_t size) { (void)text; (void)size; return NULL; }
void *PyUnicode_FromString(const char *text) { (void)text; return NULL; }
void Py_DecRef(void *object) { (void)object; }
