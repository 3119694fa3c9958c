"""Reading a municipal file: bytes to table, table to typed lines, and every remark that a clerk must see. Pure."""
