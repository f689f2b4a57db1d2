import {
  type DestinationForm,
  emptyForm,
  formFrom,
  formProblems,
  parseHeaders,
  refusedFields,
  toCreate,
  toUpdate
} from "@edp/dashboard/pages/destinations/destinationForm"
import { CreateDestination, type Destination, MASK, UpdateDestination } from "@edp/domain/destinations/Destination"
import { Schema } from "effect"
import { describe, expect, test } from "vitest"

const valid: ReadonlyArray<DestinationForm> = [
  { ...emptyForm, url: "https://example.com/events", headers: "X-Team: a: b\n", eventTypes: ["ALERT_CREATED"] },
  { ...emptyForm, type: "EMAIL", email: "ada@example.com", label: " Ada ", eventTypes: ["ALERT_CREATED"] },
  { ...emptyForm, type: "SMS", phoneNumber: "+19165550142", eventTypes: ["ALERT_CREATED"] },
  {
    ...emptyForm,
    type: "KAFKA",
    brokers: "kafka-1.example.com:9092\n[::1]:9093",
    topic: "events",
    mechanism: "plain",
    username: "edp",
    password: "pass",
    eventTypes: ["ALERT_CREATED"]
  },
  { ...emptyForm, type: "MANUFACTURER_COMMAND", url: "https://example.com/commands", manufacturer: "acme" }
]

const stored: Destination = {
  id: "cmwsspntaad4sle8kbntsby6f",
  workspaceId: "cmwssoca022mwlv0cbujfexng",
  label: "Back end",
  destinationType: "WEBHOOK",
  deviceType: null,
  eventTypes: ["ALERT_CREATED"],
  url: "https://example.com/events",
  email: null,
  phoneNumber: null,
  secret: "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0",
  headers: { "X-Team": "operations", "X-Old": "1" },
  includeWeather: null,
  kafkaConfig: null,
  manufacturer: null,
  deactivated: false,
  deactivatedAt: null,
  deactivatedReason: null,
  failingSince: null,
  createdAt: null,
  updatedAt: null
}

describe("the form of a destination", () => {
  test.each(valid)("sends a creation of $type that the contract accepts, without the fields of other kinds", (form) => {
    expect(formProblems(form)).toEqual({})
    const sent = toCreate({ ...form, secret: "" })
    expect(Schema.decodeUnknownSync(CreateDestination)(sent, { onExcessProperty: "error" })).toEqual(sent)
    const of = {
      url: ["WEBHOOK", "MANUFACTURER_COMMAND"],
      email: ["EMAIL"],
      phoneNumber: ["SMS"],
      kafkaConfig: ["KAFKA"]
    }
    for (const [field, types] of Object.entries(of)) expect(field in sent).toBe(types.includes(form.type))
    expect("eventTypes" in sent).toBe(form.type !== "MANUFACTURER_COMMAND")
  })

  test("names what is malformed before anything is sent, for the chosen kind only", () => {
    expect(formProblems(emptyForm)).toEqual({ eventTypes: "types" })
    expect(formProblems({ ...valid[0]!, url: "example.com", headers: "X-Team" })).toEqual({
      url: "url",
      headers: "headers"
    })
    expect(formProblems({ ...valid[1]!, email: "ada" })).toEqual({ email: "email" })
    expect(formProblems({ ...valid[2]!, phoneNumber: "555 0142" })).toEqual({ phoneNumber: "phone" })
    expect(formProblems({ ...valid[3]!, brokers: "kafka" })).toEqual({ brokers: "brokers" })
    expect(formProblems({ ...valid[4]!, manufacturer: "Acme Energy" })).toEqual({ manufacturer: "manufacturer" })
  })

  test("shows a stored destination, and changes nothing if it is saved as it is", () => {
    const form = formFrom(stored)
    expect(formProblems(form)).toEqual({})
    const sent = toUpdate(form, stored)
    expect(Schema.decodeUnknownSync(UpdateDestination)(sent, { onExcessProperty: "error" })).toEqual(sent)
    expect(sent).toEqual({
      label: "Back end",
      url: stored.url,
      headers: stored.headers,
      eventTypes: stored.eventTypes,
      deviceType: "ALL",
      includeWeather: false
    })
  })

  test("removes the headers that are not in it any more, and keeps a stored password by its mask", () => {
    const { headers } = toUpdate({ ...formFrom(stored), headers: "X-Team: night" }, stored)
    expect(headers).toEqual({ "X-Team": "night", "X-Old": null })
    const sasl = { mechanism: "scram-sha-512", username: "edp", password: MASK } as const
    const kafka: Destination = {
      ...stored,
      destinationType: "KAFKA",
      url: null,
      headers: null,
      kafkaConfig: { brokers: ["a:1"], topic: "t", clientId: "edp", ssl: false, sasl }
    }
    expect(toUpdate(formFrom(kafka), kafka).kafkaConfig).toEqual(kafka.kafkaConfig)
    expect(toUpdate({ ...formFrom(kafka), mechanism: "none" }, kafka).kafkaConfig?.sasl).toBeNull()
  })

  test("reads headers of one line each, and none from a line without a name and a value", () => {
    expect(parseHeaders(" X-A: 1 \n\nX-B:2")).toEqual({ "X-A": "1", "X-B": "2" })
    for (const text of ["X-A", "X-A:", ": 1", "X A: 1"]) expect(parseHeaders(text)).toBeUndefined()
  })

  test("puts the service's reasons at the fields that they belong to", () => {
    expect(
      refusedFields({
        destinationType: "The operator has not set up SMS",
        "kafkaConfig.brokers.0": "Must not be a private address",
        "kafkaConfig.sasl.password": "Must be the password",
        "headers.Host": "Must not be set",
        other: "Unknown"
      })
    ).toEqual({
      type: "The operator has not set up SMS",
      brokers: "Must not be a private address",
      password: "Must be the password",
      headers: "Host: Must not be set"
    })
  })
})
