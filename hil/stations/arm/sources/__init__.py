"""Sources of the wanted velocity of the space arm's gripper: programmes and operators."""
