import { Email } from "@edp/domain/shared/Text"
import { isEmailAddress } from "@edp/server/platform/network/publicAddress"
import { Schema } from "effect"
import { describe, expect, test } from "vitest"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeDestinations } from "./arrangeDestinations.ts"

const app = useTestApp({ own: true })
const eventTypes = ["ALERT_CREATED"]
const long = (length: number) => "a".repeat(length)

describe("POST and PATCH /v1/destinations", () => {
  test.each([
    ["a line break", "https://example.com/ev\nents"],
    ["a tab", "https://exam\tple.com/"],
    ["a space before it", " https://example.com/"],
    ["a space after it", "https://example.com/ "],
    ["a space inside", "https://example.com/a b"],
    ["a space of another script", "https://example.com/a\u3000b"],
    ["a control character", "https://example.com/\u0007"],
    ["an invisible character", "https://example.com/\u200b"],
    ["backslashes", "https:\\\\example.com\\"],
    ["one slash", "https:/example.com/"],
    ["no slashes", "https:example.com"],
    ["three slashes", "https:///example.com/"],
    ["no host", "https://"],
    ["no host but a port", "https://:443/"],
    ["an empty label", "https://example..com/"],
    ["two dots at its end", "https://example.com../"],
    ["a label of 64 characters", `https://${long(64)}.com/`],
    ["a name of 254 characters", `https://${Array(5).fill(long(50)).join(".")}/`],
    ["a label that begins with a hyphen", "https://-example.com/"],
    ["a label that ends with a hyphen", "https://example-.com/"],
    ["a parenthesis after the host", "https://example.com)/"],
    ["a comma in the host", "https://example.com,example.org/"],
    ["an asterisk for a label", "https://*.example.com/"],
    ["an invalid port", "https://example.com:65536/"],
    ["port 0", "https://example.com:0/"],
    ["a fragment", "https://example.com/#events"],
    ["an address of five parts", "https://1.2.3.4.5/"],
    ["an open bracket", "https://[::1/"]
  ])("400 VALIDATION_ERROR a url with %s", async (_, url) => {
    const { call, destination } = await arrangeDestinations(app)
    const details = { url: expect.stringMatching(/^Must /) }
    const body = { destinationType: "WEBHOOK", eventTypes, url }
    expectError(await call("POST", "/v1/destinations", body), 400, "VALIDATION_ERROR", details)
    const { id } = await destination({ url: "http://127.0.0.1:9/" })
    expectError(await call("PATCH", `/v1/destinations/${id}`, { url }), 400, "VALIDATION_ERROR", details)
  })

  test.each([
    "https://example.com",
    "http://example.com:8080/a/b?c=d%20e",
    "HTTPS://EXAMPLE.COM/",
    "https://example.com./",
    "https://bücher.example/",
    "https://xn--bcher-kva.example/",
    "http://receiver:3000/",
    "http://my_service:3000/",
    "http://127.0.0.1:9/",
    "http://[::1]:9/",
    `https://${long(63)}.example/`
  ])("201 the url %s", async (url) => {
    const { call } = await arrangeDestinations(app)
    const response = await call("POST", "/v1/destinations", { destinationType: "WEBHOOK", eventTypes, url })
    expect([response.status, response.body.url]).toEqual([201, url])
  })

  test.each(["a..b:9092", "-a.example.com:9092", "a-.example.com:9092", `${long(64)}.example.com:9092`, ".:9092"])(
    "400 VALIDATION_ERROR the broker %s",
    async (broker) => {
      const { call } = await arrangeDestinations(app)
      const kafkaConfig = { brokers: ["kafka.example.com:9092", broker], topic: "events" }
      const body = { destinationType: "KAFKA", eventTypes, kafkaConfig }
      expectError(await call("POST", "/v1/destinations", body), 400, "VALIDATION_ERROR", {
        "kafkaConfig.brokers.1": expect.stringMatching(/^Must have a host/)
      })
    }
  )

  test.each(["User-Agent", "user-agent", "Accept-Encoding"])(
    "400 VALIDATION_ERROR the header %s, which the platform sets",
    async (name) => {
      const { call } = await arrangeDestinations(app)
      const body = { destinationType: "WEBHOOK", eventTypes, url: "http://127.0.0.1:9/", headers: { [name]: "a" } }
      expectError(await call("POST", "/v1/destinations", body), 400, "VALIDATION_ERROR", {
        [`headers.${name}`]: "Must not be set: the platform sets it"
      })
    }
  )
})

const addresses: ReadonlyArray<readonly [boolean, string]> = [
  [true, "ada@example.com"],
  [true, "ada.lovelace+alerts@mail.example.co.uk"],
  [true, "o'hara_%/=!#$&*?^`{|}~-@example.com"],
  [true, "ü@bücher.example"],
  [true, "ada@xn--bcher-kva.example"],
  [true, `${long(64)}@example.com`],
  [false, "ada"],
  [false, "ada@example"],
  [false, "ada@@example.com"],
  [false, ".ada@example.com"],
  [false, "ada.@example.com"],
  [false, "a..da@example.com"],
  [false, "ada@example..com"],
  [false, "ada@.example.com"],
  [false, "ada@example.com."],
  [false, "ada@-example.com"],
  [false, "ada@example-.com"],
  [false, "ada@exam_ple.com"],
  [false, `ada@${long(64)}.com`],
  [false, `${long(65)}@example.com`],
  [false, "ada@192.0.2.1"],
  [false, "ada@[192.0.2.1]"],
  [false, "ada lovelace@example.com"],
  [false, '"ada"@example.com'],
  [false, "ada@example.com\n"],
  [false, "ada@exam\u200bple.com"],
  [false, "ada@example.123"]
]

describe("an e-mail address", () => {
  test.each(addresses)("is valid in the contract only if its library accepts it: %s %j", (isOne, text) => {
    expect(Schema.is(Email)(text)).toBe(isOne)
    if (isOne) expect(isEmailAddress(text)).toBe(true)
  })
})
