import { mailbox, mqttBroker, smsSender, smtpRelay } from "@edp/server/platform/config/parsers"
import { Redacted } from "effect"
import { describe, expect, test } from "vitest"

const read = (text: string) => {
  const relay = smtpRelay(text)
  return relay && { ...relay, login: relay.login && [relay.login.user, Redacted.value(relay.login.password)] }
}

describe("the URL of a mail relay", () => {
  test.each([
    ["smtps://mail.example.com", ["mail.example.com", 465, "always", undefined]],
    ["smtp://mail.example.com", ["mail.example.com", 587, "required", undefined]],
    ["smtp://mail.example.com:25?starttls=optional", ["mail.example.com", 25, "offered", undefined]],
    ["smtp://mail.example.com?starttls=required", ["mail.example.com", 587, "required", undefined]],
    [
      "smtp://ada%40example.com:p%3Ass@mail.example.com/",
      ["mail.example.com", 587, "required", ["ada@example.com", "p:ss"]]
    ],
    ["smtp://0x7f.1:2525?starttls=optional", ["127.0.0.1", 2525, "offered", undefined]],
    ["smtps://[2001:DB8::1]", ["2001:db8::1", 465, "always", undefined]]
  ])("%s is accepted", (text, [host, port, encryption, login]) => {
    expect(read(text)).toEqual({ host, port, encryption, login })
  })

  test.each([
    "mail.example.com",
    "http://mail.example.com",
    "smtp://",
    "smtp://mail.example.com/inbox",
    "smtp://mail.example.com?starttls=never",
    "smtp://mail.example.com?tls=off",
    "smtps://mail.example.com?starttls=optional",
    "smtp://ada:secret@mail.example.com?starttls=optional",
    "smtp://ada@mail.example.com",
    "smtp://ada:%zz@mail.example.com"
  ])("%s is rejected", (text) => {
    expect(smtpRelay(text)).toBeUndefined()
  })

  test("keeps its password out of every text", () => {
    expect(JSON.stringify(smtpRelay("smtps://ada:hunter2@mail.example.com"))).not.toContain("hunter2")
  })
})

describe("the sender of e-mails", () => {
  test.each([
    ["alerts@example.com", { name: "", address: "alerts@example.com" }],
    ["Energy Platform <alerts@example.com>", { name: "Energy Platform", address: "alerts@example.com" }],
    ["edp@localhost", { name: "", address: "edp@localhost" }]
  ])("%s is accepted", (text, expected) => {
    expect(mailbox(text)).toEqual(expected)
  })

  test.each([
    "alerts",
    "a@b@example.com",
    "a@example.com, b@example.com",
    "a@example.com\r\nBcc: b@example.com",
    "Eve\r\nBcc: b@example.com <a@example.com>",
    '"Eve" <a@example.com>',
    "<a@example.com>",
    `${"a".repeat(250)}@example.com`
  ])("%j is rejected", (text) => {
    expect(mailbox(text)).toBeUndefined()
  })
})

describe("the sender of text messages", () => {
  test.each([
    ["+15005550006", "From"],
    ["72345", "From"],
    ["Energy Co", "From"],
    [`MG${"0".repeat(32)}`, "MessagingServiceSid"]
  ])("%s is accepted", (value, kind) => {
    expect(smsSender(value)).toEqual({ kind, value })
  })

  test.each(["+0", "12", "+1 500 555 0006", "A name that is too long", "&", ""])("%j is rejected", (text) => {
    expect(smsSender(text)).toBeUndefined()
  })
})

describe("the URL of an MQTT broker", () => {
  test.each([
    ["mqtts://broker.example.com", ["broker.example.com", 8883, true, undefined, "mqtts://broker.example.com:8883"]],
    [
      "mqtt://edp:p%3Ass@broker.example.com:1884/",
      ["broker.example.com", 1884, false, ["edp", "p:ss"], "mqtt://broker.example.com:1884"]
    ],
    ["mqtt://[2001:DB8::1]", ["2001:db8::1", 1883, false, undefined, "mqtt://[2001:db8::1]:1883"]]
  ])("%s is accepted", (text, [host, port, tls, login, url]) => {
    const broker = mqttBroker(text)!
    const shown = broker.login && [broker.login.user, Redacted.value(broker.login.password)]
    expect({ ...broker, login: shown }).toEqual({ host, port, tls, login, url })
  })

  test.each([
    "broker.example.com",
    "wss://broker.example.com",
    "mqtts://",
    "mqtts://broker.example.com/openadr",
    "mqtts://broker.example.com?version=5",
    "mqtts://broker.example.com:0",
    "mqtts://edp@broker.example.com"
  ])("%s is rejected", (text) => {
    expect(mqttBroker(text)).toBeUndefined()
  })
})
