import { usableBroker } from "@edp/server/grid/notifications/vtnBroker"
import { expect, test } from "vitest"

const named = (
  URIS: ReadonlyArray<string>,
  authentication: { readonly method: string; readonly username?: string }
) => ({
  WEBHOOK: true,
  MQTT: { URIS, serialization: "JSON", authentication }
})
const anonymous = { method: "ANONYMOUS" }

test("the address with TLS goes first, on its usual port", () => {
  const notifiers = named(["mqtt://broker.example.com", "mqtts://broker.example.com"], anonymous)
  expect(usableBroker(notifiers, null, true)).toEqual({
    host: "broker.example.com",
    port: 8883,
    tls: true,
    username: null
  })
})

test("an address without TLS is used only where private addresses may be called", () => {
  const notifiers = named(["mqtt://[::1]:1884"], anonymous)
  expect(usableBroker(notifiers, null, true)).toEqual({ host: "::1", port: 1884, tls: false, username: null })
  expect(usableBroker(notifiers, null, false)).toBe("The VTN names no mqtts address of its MQTT broker")
})

test("a token is the password of the client, or of the user that the VTN names", () => {
  const address = ["mqtts://broker.example.com"]
  const withUsername = (username?: string) =>
    usableBroker(
      named(address, { method: "OAUTH2_BEARER_TOKEN", ...(username !== undefined && { username }) }),
      "ven-42",
      false
    )
  expect(withUsername("{clientID}")).toMatchObject({ username: "ven-42" })
  expect(withUsername("token-user")).toMatchObject({ username: "token-user" })
  expect(withUsername()).toMatchObject({ username: "ven-42" })
  expect(usableBroker(named(address, { method: "OAUTH2_BEARER_TOKEN" }), null, false)).toMatch(/no client ID/)
})

test("a VTN without a broker has none", () => {
  expect(usableBroker({ WEBHOOK: true }, "ven-42", true)).toBe("The VTN has no MQTT broker")
  expect(usableBroker({}, "ven-42", true)).toBe("The VTN has no MQTT broker")
})
