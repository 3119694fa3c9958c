def test_form(visitor, page):
    shown = page(visitor.get("/entrar"))
    assert shown.h1 == "Entrar"


def test_home(client_as, page):
    shown = page(client_as("analista").get("/inicio"))
    assert "Marina" in shown.h1
