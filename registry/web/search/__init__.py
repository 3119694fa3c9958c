"""The one search box of the staff: plate, CPF, CNPJ, name or number."""
