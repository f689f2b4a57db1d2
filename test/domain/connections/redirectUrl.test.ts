import { redirectUrlProblem, withParameters } from "@edp/domain/connections/redirectUrl"
import { describe, expect, test } from "vitest"

describe("a redirectUrl", () => {
  test.each([
    "https://example.com",
    "https://example.com/connected?plan=flex&name=a%20b#top",
    "https://example.com:8443/connected",
    "https://münchen.example/verbunden",
    "HTTPS://EXAMPLE.com/",
    "http://localhost:5173/connected",
    "http://127.0.0.1/connected",
    "http://[::1]:8080/",
    "myapp://connected",
    "com.example.app:/connected",
    "com.example.app:connected"
  ])("may be %s", (url) => {
    expect(redirectUrlProblem(url)).toBeUndefined()
  })

  test.each([
    "",
    "/connected",
    "connected",
    "//evil.example/",
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "javascript://example.com/%0aalert(1)",
    "java\nscript:alert(1)",
    "\u0001javascript:alert(1)",
    " https://example.com",
    "data:text/html,<script>alert(1)</script>",
    "file:///etc/passwd",
    "vbscript:msgbox",
    "blob:https://example.com/1",
    "about:blank",
    "intent://example.com/#Intent;scheme=https;end",
    "view-source:https://example.com",
    "ms-msdt:/id",
    "ms-settings:privacy",
    "search-ms:query=x",
    "shell:startup",
    "itms-services://?action=download-manifest",
    "http://example.com/",
    "http://localhost.evil.example/",
    "http://127.0.0.1.evil.example/",
    "http://localhost@evil.example/",
    "https://user@example.com/",
    "https://user:password@example.com/",
    "https://example.com@evil.example/",
    "myapp://user@connected",
    "https:example.com",
    "https:/example.com",
    "https:///example.com",
    "https:////example.com",
    "https:\\\\example.com",
    "https://example.com\\@evil.example",
    "https://exa\tmple.com",
    "https://example.com/\r\nSet-Cookie: a=b",
    "https://example.com/\u200bpath",
    "https://example.com/?service_scoped_token=mine",
    "https://example.com/?a=1&connect_session_id=x",
    "https://example.com/?error=no"
  ])("must not be %j", (url) => {
    expect(redirectUrlProblem(url)).toMatch(/^Must /)
  })
})

describe("the parameters of a redirect", () => {
  test("follow the existing query, and everything else stays as it was written", () => {
    expect(withParameters("https://example.com", { error: "expired" })).toBe("https://example.com?error=expired")
    expect(withParameters("https://example.com/a?b=c%20d&e=f+g#h?i", { x: "1", y: "2" })).toBe(
      "https://example.com/a?b=c%20d&e=f+g&x=1&y=2#h?i"
    )
    expect(withParameters("https://example.com/?#top", { x: "1" })).toBe("https://example.com/?x=1#top")
    expect(withParameters("myapp:connected", { x: "&=" })).toBe("myapp:connected?x=%26%3D")
  })
})
