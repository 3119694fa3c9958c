"""The public look-up and the readings page."""
