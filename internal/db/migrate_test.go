package db_test

func helper(string) {}
