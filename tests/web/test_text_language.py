"""The language of texts that people and models wrote."""

from __future__ import annotations

from twindow.web.i18n.text_language import text_language

TEXTS = [
    ("What is the weather like?", "en"),
    ("Ein Fahrrad bleibt aufrecht, weil es in den Sturz lenkt und die Räder drehen.", "de"),
    ("```py\nthe to of and is\n```\nDas ist `for this and that`, und nicht die Eingabe.", "de"),
    ("Bonjour, comment est-ce que je peux vous aider ?", "fr"),
    ("La bicicleta se mantiene en pie porque la rueda gira hacia el lado.", "es"),
    ("La bicicletta resta in piedi perché la ruota gira verso il lato della caduta.", "it"),
    ("A bicicleta fica em pé porque a roda não gira para o lado da queda.", "pt"),
    ("Een fiets blijft overeind omdat het voorwiel in de richting van de val stuurt.", "nl"),
    ("自転車は倒れる方向に切れるので、Python でも倒れません。", "ja"),
    ("自行车不会倒，因为前轮会转向倒下的方向。", "zh"),
    ("자전거는 넘어지지 않습니다.", "ko"),
    ("تبقى الدراجة منتصبة لأن العجلة تدور.", "ar"),
    ("Велосипед не падает, потому что мы поворачиваем колёса.", "ru"),
    ("Велосипед не падає, бо колесо повертає.", "uk"),
    ("", ""),
    ("Yes", ""),
    ("See a dent in an ark.", ""),
    ("x = 1", ""),
    ("Cykeln håller sig upprätt eftersom hjulet svänger i den riktning den faller.", ""),
    ("Rower utrzymuje się w pionie, ponieważ przednie koło skręca.", ""),
    ("دوچرخه نمی‌افتد، زیرا چرخ جلو می‌چرخد.", ""),
    ("Велосипедът не пада, защото колелото завива.", ""),
]


def test_language_is_named_only_if_it_is_certain():
    assert [(text, text_language(text)) for text, _ in TEXTS] == TEXTS
