import { continuationToken, isFormToken, newFormToken, sessionToken } from "@edp/server/enrollments/pages/formToken"
import { describe, expect, test } from "vitest"

const [browser, other] = ["a".repeat(43), "b".repeat(43)]

describe("the token of a form", () => {
  const token = newFormToken(browser, "evening-peak")

  test("is valid for the browser and the page that it was made for", () => {
    expect(isFormToken(token, browser, "evening-peak")).toBe(true)
    expect(isFormToken(token, other, "evening-peak")).toBe(false)
    expect(isFormToken(token, browser, "morning-peak")).toBe(false)
  })

  test.each([
    "",
    ".",
    "nonce",
    `${token}x`,
    `x${token}`,
    token.split(".")[0]!,
    `${"x".repeat(22)}.${token.split(".")[1]}`
  ])("is not %j", (forged) => expect(isFormToken(forged, browser, "evening-peak")).toBe(false))

  test("differs for each form, and leads each to one continuation of its browser", () => {
    const next = newFormToken(browser, "evening-peak")
    expect(next).not.toBe(token)
    expect(continuationToken(browser, token)).toBe(continuationToken(browser, token))
    expect(continuationToken(browser, token)).toMatch(/^[\w-]{43}$/u)
    const all = [continuationToken(browser, token), continuationToken(browser, next), continuationToken(other, token)]
    expect(new Set(all).size).toBe(3)
  })

  test("leads to another link for each connect session", () => {
    const links = ["s1", "s2"].map((id) => sessionToken(continuationToken(browser, token), id))
    expect(new Set(links).size).toBe(2)
    for (const link of links) expect(link).toMatch(/^[\w-]{43}$/u)
  })
})
