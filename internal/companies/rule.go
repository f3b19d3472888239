package companies

import "verbless/internal/change"

// rule is what may happen to a company. Who may write is a matter of the policy alone.
func rule(elsewhere bool) change.Rule[Company] {
	return func(c *change.Change[Company]) error {
		if c.Dying() {
			return nil
		}
		if elsewhere && !c.Born() { // what another system keeps cannot be changed here, but may be sent back
			c.Now.Locations = c.Was.Locations
		}
		if c.Now.Locations == nil || elsewhere && c.Born() {
			c.Now.Locations = &[]Location{}
		}
		return nil
	}
}

// enterprise tells whether a company of so many employees is one.
func enterprise(employees *int64, size int) bool {
	return employees != nil && *employees >= int64(size)
}
