package field

import "testing"

// TestSpellingsOfTime: what the schema takes is taken, and nothing else; moments that do not exist are refused by Fill alone.
func TestSpellingsOfTime(t *testing.T) {
	for moment, taken := range map[string]bool{
		"2026-01-31 09:30:00Z": true, "2026-01-31T09:30:00Z": true, "2026-01-31t09:30:00z": true, "2026-01-31 09:30:00z": true,
		"2026-01-31 09:30:00+01:00": true, "2026-01-31T09:30:00.5Z": true,
		"2026-01-31  09:30:00Z": false, "2026-01-31T09:30:00,5Z": false, "2026-01-31T9:30:00Z": false, "2026-01-31 9:30:00Z": false,
	} {
		doc := must(t, `{"name":"x","at":"`+moment+`"}`)
		_, filled := born(t, doc)
		if validated := validates(t, Body, doc); (filled == nil) != taken || (validated == nil) != taken {
			t.Errorf("%s: Fill says %v, the schema %v", moment, filled, validated)
		}
	}
	for _, moment := range []string{"9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+01:00", "2026-01-31T09:30:00+99:99", "2026-01-31T23:59:60Z", "2026-02-30 00:00:00Z"} {
		if _, filled := born(t, must(t, `{"name":"x","at":"`+moment+`"}`)); faults(filled) != "bad_format /at" {
			t.Errorf("%s: %v", moment, filled)
		}
	}
}

func TestFaultsOfItems(t *testing.T) {
	_, err := born(t, must(t, `{"name":"x","tags":[7,"a",8]}`))
	if got := faults(err); got != "wrong_type /tags/0, wrong_type /tags/2" {
		t.Error(got)
	}
}
