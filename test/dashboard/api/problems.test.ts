import { isMissing, problemFrom } from "@edp/dashboard/api/problems"
import { UnexpectedResponse } from "@edp/domain/client/responses"
import { describe, expect, it } from "vitest"

describe("the explanation of a failed request", () => {
  it("a failure of the service, or of a proxy before it, is one whatever its body is", () => {
    const failures = [
      new UnexpectedResponse({ message: "…", status: 500, code: "INTERNAL_ERROR", requestId: "r-1" }),
      new UnexpectedResponse({ message: "…", status: 502 })
    ]
    expect(failures.map(problemFrom)).toEqual([
      { kind: "failed", status: 500, requestId: "r-1" },
      { kind: "failed", status: 502, requestId: null }
    ])
  })

  it("a record that does not exist differs from a refused request", () => {
    expect(isMissing(problemFrom({ code: "SITE_NOT_FOUND", message: "Site not found" }))).toBe(true)
    expect(isMissing(problemFrom({ code: "FORBIDDEN", message: "This key may not do this" }))).toBe(false)
    expect(isMissing(problemFrom(new UnexpectedResponse({ message: "…", status: 503 })))).toBe(false)
  })
})
