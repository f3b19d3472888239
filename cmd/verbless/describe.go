package main

import (
	"encoding/json"
	"fmt"
	"os"
	"text/tabwriter"

	"verbless/internal/app"
	"verbless/internal/config"
)

type openapi struct{}

func (openapi) Help() string { return "Example: verbless openapi > openapi.json" }

func (openapi) Run(s *config.Settings) error {
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(app.Describe(*s))
}

type showConfig struct{}

func (showConfig) Help() string { return "Example: verbless config --data ./data" }

func (showConfig) Run(s *config.Settings) error {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, setting := range s.List() {
		fmt.Fprintf(out, "%s\t%s\t%s\n", setting.Name, setting.Value, setting.Origin)
	}
	return out.Flush()
}

type version struct{}

func (version) Help() string { return "Example: verbless version" }

func (version) Run() error {
	fmt.Println(app.Build())
	return nil
}
