package interop

import "testing"

func TestCurl(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		size int
		send func(*curl)
		at   plan
	}{
		"empty":                       {0, (*curl).whole, nil},
		"small":                       {small, (*curl).whole, nil},
		"whole":                       {middle, (*curl).whole, nil},
		"whole, large":                {16<<20 + 1, (*curl).whole, nil},
		"small, 503":                  {small, (*curl).whole, plan{{begins, 1}: refused(503), {sends, 1}: refused(503)}},
		"small, cut":                  {small, (*curl).whole, plan{{sends, 1}: cut(700)}},
		"small, answers lost":         {small, (*curl).whole, plan{{begins, 1}: lost, {sends, 1}: lost}},
		"whole, 503":                  {middle, (*curl).whole, plan{{sends, 1}: refused(503), {sends, 2}: masked(503)}},
		"whole, cut":                  {middle, (*curl).whole, plan{{sends, 1}: cut(400_000), {sends, 2}: cut(300_000)}},
		"whole, torn":                 {middle, (*curl).whole, plan{{sends, 1}: torn(400_000), {sends, 2}: torn(300_000)}},
		"whole, hung up":              {middle, (*curl).whole, plan{{begins, 1}: hungUp, {sends, 1}: hungUp}},
		"piped":                       {middle, (*curl).piped, nil},
		"resumed, 503":                {middle, func(c *curl) { c.resumed() }, plan{{sends, 1}: refused(503)}},
		"resumed, cut":                {middle, func(c *curl) { c.resumed() }, plan{{sends, 1}: cut(400_000), {sends, 2}: cut(1)}},
		"resumed, answer lost":        {middle, func(c *curl) { c.resumed() }, plan{{sends, 1}: cut(400_000), {sends, 2}: lost}},
		"resumed, masked":             {middle, func(c *curl) { c.resumed() }, plan{{sends, 1}: masked(504)}},
		"resumed, length untold, cut": {middle, func(c *curl) { c.resumed("--header", "Transfer-Encoding: chunked") }, plan{{sends, 1}: cut(400_000)}},
		"resumed too early":           {middle, (*curl).short, plan{{sends, 1}: cut(400_000)}},
		"resumed too late":            {middle, (*curl).gap, plan{{sends, 1}: cut(400_000)}},
		"resumed unknowing":           {middle, (*curl).unknowing, plan{{sends, 1}: cut(400_000)}},
		"chunks":                      {middle, (*curl).chunks, nil},
		"chunks, 503":                 {middle, (*curl).chunks, plan{{sends, 1}: refused(503), {sends, 3}: masked(503)}},
		"chunks, cut":                 {middle, (*curl).chunks, plan{{sends, 2}: cut(100_000), {sends, 3}: cut(200_000)}},
		"chunks, answers lost":        {middle, (*curl).chunks, plan{{sends, 1}: lost, {sends, 4}: lost}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, content := newCurl(t, test.size, test.at)
			test.send(c)
			c.holds(title, png, content)
		})
	}
	for name, test := range map[string]struct {
		size int
		at   plan
	}{
		"alone":                {middle, nil},
		"alone, 503":           {small, plan{{begins, 1}: refused(503)}},
		"alone, cut":           {middle, plan{{begins, 1}: cut(400_000)}},
		"alone, answer lost":   {middle, plan{{begins, 1}: lost}},
		"alone, answer masked": {small, plan{{begins, 1}: masked(504)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, content := newCurl(t, test.size, test.at)
			c.alone()
			c.holds("", png, content)
		})
	}
}

// refusable is a size that the service reads to the end even when it wants nothing of it, so that the answer arrives for certain.
const refusable = 200 << 10

// TestCurlCancels ends uploads before and after all is here.
func TestCurlCancels(t *testing.T) {
	t.Parallel()
	t.Run("on its way", func(t *testing.T) {
		t.Parallel()
		c, _ := newCurl(t, refusable, plan{{sends, 1}: cut(100_000)})
		c.begin()
		c.run("--upload-file", c.file, c.address)
		for range 2 {
			if a := c.run("--request", "DELETE", c.address); a.status != 499 {
				t.Errorf("%+v", a)
			}
		}
		if a := c.run("--upload-file", c.file, c.address); a.status != 499 {
			t.Errorf("%+v", a)
		}
		c.holdsNothing()
	})
	t.Run("removed when whole", func(t *testing.T) {
		t.Parallel()
		c, _ := newCurl(t, refusable, nil)
		c.whole()
		c.ask(204, "DELETE", "/uploads/"+c.uploads()[0].ID)
		if a := c.run("--upload-file", c.file, c.address); a.status != 410 {
			t.Errorf("%+v", a)
		}
		c.holdsNothing()
	})
	t.Run("unknown address", func(t *testing.T) {
		t.Parallel()
		c, _ := newCurl(t, refusable, plan{{sends, 1}: elsewhere})
		c.begin()
		if a := c.run("--upload-file", c.file, c.address); a.status != 404 {
			t.Errorf("%+v", a)
		}
	})
}
