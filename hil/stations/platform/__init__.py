"""Station `platform`: a hexapod on six electro-cylinders."""
