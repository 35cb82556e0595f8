"""Where the wanted velocity of the space arm's gripper comes from: programmes and operators."""
