"""Dynamics of an arm as the thesis writes them, for reading and as a check; not for speed.

Lagrange's equations by traces of matrices (Belousov 1993, after Uicker 1965): with the pose X_i of
link i in the base and its derivatives by the joint angles,

    d_ks = sum_i tr(U_ik J_i U_is^T),               U_ik  = dX_i / dq_k
    h_k  = sum_i sum_st tr(U_ist J_i U_ik^T) v_s v_t,  U_ist = d^2 X_i / dq_s dq_t
    p_k  = - sum_i m_i g . dc_i / dq_k,             c_i the centre of mass of link i

The link frames L_i are used as they are, so the kernels' own frames are checked as well.
"""

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.arm import Arm
from sim.world.space_arm.links import Body, Link

Array = NDArray[np.float64]


def pseudo_inertia(body: Link | Body) -> Array:
    """Second moments of a body's mass in homogeneous coordinates, J [kg m2; kg m; kg].

    The integral of x x^T dm over points x = (rho, 1) of the body: not the tensor of inertia I but
    tr(I)/2 E - I, moved from the centre of mass to the frame's origin. Shape (4, 4).
    """
    central = 0.5 * np.trace(body.inertia_kg_m2) * np.eye(3) - body.inertia_kg_m2  # (3, 3)
    homogeneous = np.append(body.com_m, 1.0)
    moments = body.mass_kg * np.outer(homogeneous, homogeneous)  # (4, 4)
    moments[:3, :3] += central
    return moments


def link_pose(arm: Arm, q_rad: Array, link: int, *by: int) -> Array:
    """Pose X_i of a link in the base, or its derivative by joint angles.

    Args:
        q_rad: joint angles [rad], shape (n,).
        link: from 0 on.
        *by: joints by whose angles to differentiate, at most two; none for the pose itself.

    Returns:
        [R p; 0 1] or its derivative, shape (4, 4).
    """
    pose = np.eye(4)
    for joint in range(link + 1):
        pose = pose @ _joint_pose(arm.links[joint], float(q_rad[joint]), by.count(joint))
    return pose if all(joint <= link for joint in by) else np.zeros((4, 4))


def _joint_pose(link: Link, angle_rad: float, times: int) -> Array:
    """Pose of L_i in L_(i-1), differentiated 0, 1 or 2 times; axis w: dE/dq = E w x.

    A prismatic joint shifts it by w q [m].
    """
    if link.prismatic:
        pose = np.zeros((4, 4))
        along = link.rotation @ link.axis
        if times == 0:
            pose[:3, :3], pose[:3, 3], pose[3, 3] = link.rotation, link.offset_m, 1.0
            pose[:3, 3] += along * angle_rad
        elif times == 1:
            pose[:3, 3] = along
        return pose
    x, y, z = link.axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turn = np.eye(3) + np.sin(angle_rad) * cross + (1.0 - np.cos(angle_rad)) * (cross @ cross)
    pose = np.zeros((4, 4))
    pose[:3, :3] = link.rotation @ turn @ np.linalg.matrix_power(cross, times)
    if times == 0:
        pose[:3, 3], pose[3, 3] = link.offset_m, 1.0
    return pose


def mass_matrix(arm: Arm, q_rad: Array) -> Array:
    """Mass matrix D(q) [kg m2], shape (n, n).

    Args:
        q_rad: joint angles [rad], shape (n,).
    """
    mass = np.zeros((arm.joints, arm.joints))
    for i, link in enumerate(arm.links):
        inertia = pseudo_inertia(link)
        slopes = [link_pose(arm, q_rad, i, k) for k in range(i + 1)]
        for k in range(i + 1):
            for s in range(i + 1):
                mass[k, s] += np.trace(slopes[k] @ inertia @ slopes[s].T)
    return mass


def coriolis_torque(arm: Arm, q_rad: Array, v_rad_s: Array) -> Array:
    """Coriolis and centrifugal torques h(q, v) [N m], shape (n,).

    Args:
        q_rad: joint angles [rad], shape (n,).
        v_rad_s: joint rates [rad/s], shape (n,).
    """
    torque = np.zeros(arm.joints)
    for i, link in enumerate(arm.links):
        inertia = pseudo_inertia(link)
        bend = np.zeros((4, 4))  # sum over s, t of U_ist v_s v_t
        for s in range(i + 1):
            for t in range(i + 1):
                bend += link_pose(arm, q_rad, i, s, t) * (v_rad_s[s] * v_rad_s[t])
        for k in range(i + 1):
            torque[k] += np.trace(bend @ inertia @ link_pose(arm, q_rad, i, k).T)
    return torque


def gravity_torque(arm: Arm, q_rad: Array) -> Array:
    """Torques p(q) that hold the arm at rest against gravity [N m], shape (n,).

    Args:
        q_rad: joint angles [rad], shape (n,).
    """
    torque = np.zeros(arm.joints)
    for i, link in enumerate(arm.links):
        for k in range(i + 1):
            slope = link_pose(arm, q_rad, i, k) @ np.append(link.com_m, 1.0)  # dc_i / dq_k
            torque[k] -= link.mass_kg * float(arm.gravity_m_s2 @ slope[:3])
    return torque


def gripper_pose(arm: Arm, q_rad: Array) -> Array:
    """Pose of the gripper frame G in the base, [R p; 0 1], shape (4, 4).

    Args:
        q_rad: joint angles [rad], shape (n,).
    """
    tool = np.eye(4)
    tool[:3, :3], tool[:3, 3] = arm.tool_rotation, arm.tool_offset_m
    return link_pose(arm, q_rad, arm.joints - 1) @ tool


def momentum(arm: Arm, q_rad: Array, v_rad_s: Array) -> Array:
    """Momentum of the arm in base axes: linear [N s], angular about B's origin [N m s], shape (6,).

    From the same moments of mass: the points x of a link move with x' = X' X^-1 x, and the angular
    momentum is the skew part of the integral of x' x^T dm.

    Args:
        q_rad: joint angles [rad], shape (n,).
        v_rad_s: joint rates [rad/s], shape (n,).
    """
    total = np.zeros(6)
    for i, link in enumerate(arm.links):
        speed = np.zeros((4, 4))
        for k in range(i + 1):
            speed += link_pose(arm, q_rad, i, k) * v_rad_s[k]
        moments = speed @ pseudo_inertia(link) @ link_pose(arm, q_rad, i).T  # integral of x' x^T dm
        total[:3] += moments[:3, 3]
        total[3:] += [
            moments[2, 1] - moments[1, 2],
            moments[0, 2] - moments[2, 0],
            moments[1, 0] - moments[0, 1],
        ]
    return total
