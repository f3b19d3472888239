// Package companies is a directory of companies: everyone reads it, admins keep it.
//
// A company shows three members unless a reader asks for more by the name of a group. Locations may be another system's;
// then that system is asked only for answers that show them, and no trouble of its own reaches any other answer.
package companies

import (
	"strconv"
	"time"

	"verbless/internal/db"
	"verbless/internal/field"
	"verbless/internal/rest"
)

// Company is one entry of the directory. It looks the same coming in as going out.
type Company struct {
	UUID       string       `json:"uuid" db:"uuid,key" readOnly:"true"`
	Name       string       `json:"name" db:"name" required:"true" minLength:"1" maxLength:"200" api:"sort,filter" examples:"Acme"`
	Status     string       `json:"status" db:"status" enum:"prospect,active,inactive" default:"active" api:"filter" doc:"prospect: not yet a customer. active: one. inactive: one no longer."`
	Contact    *Contact     `json:"contact_info" db:"contact_info" partial:"contact_info"`
	Locations  *[]Location  `json:"locations" db:"locations" partial:"locations" maxItems:"100" default:"[]" doc:"Null when another system keeps them and does not answer. Where it does, what a body says of them is ignored."`
	Enterprise bool         `json:"enterprise" db:"enterprise,derived" readOnly:"true" partial:"enterprise" api:"filter" doc:"Whether it has many employees: 500 or more, unless a setting says otherwise."`
	Website    *string      `json:"website" db:"website" partial:"full" pattern:"^https?://[^\\s]+$" maxLength:"500" examples:"https://acme.example"`
	Industry   *string      `json:"industry" db:"industry" partial:"full" minLength:"1" maxLength:"100"`
	Employees  *int64       `json:"employee_count" db:"employee_count" partial:"full" minimum:"0" maximum:"100000000"`
	Metadata   field.Object `json:"metadata" db:"metadata" partial:"full" doc:"A free object of the client's own, 16 KiB at most."`
	Version    int64        `json:"-" db:"version,version"`
	Created    time.Time    `json:"created_at" db:"created_at,born" readOnly:"true" partial:"full" api:"sort,filter"`
	Updated    time.Time    `json:"updated_at" db:"updated_at,touch" readOnly:"true" partial:"full"`
}

// Contact is whom to write to.
type Contact struct {
	Name  string `json:"name" maxLength:"200" default:""`
	Email string `json:"email" required:"true" format:"email" maxLength:"254"`
	Phone string `json:"phone" maxLength:"50" default:""`
}

// Location is one place where a company is.
type Location struct {
	Name    string `json:"name" required:"true" minLength:"1" maxLength:"200"`
	Address string `json:"address" maxLength:"500" default:""`
	City    string `json:"city" maxLength:"200" default:""`
	Country string `json:"country" maxLength:"100" default:""`
}

// Options is what the directory needs to know from outside.
type Options struct {
	EnterpriseSize int     // employees from which a company is an enterprise
	Locations      Locator // the system that keeps locations; nil: we do
}

// New is the resource, under its version and without.
func New(d *db.DB, o Options) rest.Resource {
	return rest.Collection[Company]{
		Name: "companies", One: "company", Path: "/api/v3/companies", Twin: "/companies", Version: 3, Shape: rest.Keyed("company", "companies"),
		Store: Store(d, o), Spellings: []string{"partial", "include"}, Outside: outside(o.Locations), Basis: "enterprise from " + strconv.Itoa(o.EnterpriseSize),
		Doc: "A company. Answers to GET show uuid, name and status, and what partials asks for; answers to writes show it all.",
	}
}
