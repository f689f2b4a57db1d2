import { browserName } from "@edp/dashboard/pages/account/browserName"
import { expect, test } from "vitest"

test.each([
  ["Firefox 140, Linux", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"],
  [
    "Chrome 138, Windows",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36"
  ],
  [
    "Edge 138, Windows",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0"
  ],
  [
    "Safari 18, iOS",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1"
  ],
  ["curl/8.14.1", "curl/8.14.1"]
])("a session's browser is named %s", (name, userAgent) => {
  expect(browserName(userAgent)).toBe(name)
})
