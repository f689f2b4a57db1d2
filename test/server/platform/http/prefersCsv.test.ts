import { prefersCsv } from "@edp/server/platform/http/prefersCsv"
import { describe, expect, test } from "vitest"

describe("CSV is preferred", () => {
  test.each([
    "text/csv",
    "TEXT/CSV; charset=utf-8",
    "text/csv, */*;q=0.1",
    "text/csv,application/json;q=0.9",
    "text/csv, application/json",
    "text/*",
    "application/json;q=0, text/*;q=0.5",
    "image/png, text/csv;q=0.2"
  ])("by %s", (accept) => expect(prefersCsv(accept)).toBe(true))

  test.each([
    undefined,
    "",
    "*/*",
    "application/json",
    "application/json, text/csv",
    "text/csv;q=0",
    "text/csv;q=0.5, application/json;q=0.6",
    "*/*, text/csv;q=0.9",
    "text/html",
    "nonsense",
    ",,;q="
  ])("not by %s", (accept) => expect(prefersCsv(accept)).toBe(false))
})
