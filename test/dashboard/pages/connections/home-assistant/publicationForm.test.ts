import {
  emptyPublication,
  publicationFormFrom,
  toPublication
} from "@edp/dashboard/pages/connections/home-assistant/publicationForm"
import {
  CreateHomeAssistantPublication,
  HomeAssistantPublication,
  UpdateHomeAssistantPublication
} from "@edp/domain/home-assistant/HomeAssistantPublication"
import { Schema } from "effect"
import { expect, test } from "vitest"

test("a form with a broker alone leaves the port and the prefix to the service, and the contract accepts it", () => {
  const made = toPublication({ ...emptyPublication, host: " 192.168.1.20 " })
  expect(made).toEqual({
    host: "192.168.1.20",
    tls: false,
    fingerprint: null,
    username: null,
    password: null,
    tag: null,
    takesCommands: false
  })
  expect(Schema.decodeUnknownSync(CreateHomeAssistantPublication)(made)).toEqual(made)
})

test("a password is sent as it was typed, and a fingerprint only with TLS", () => {
  const form = { ...emptyPublication, host: "broker", username: "edp", password: " s ", fingerprint: "AB" }
  expect(toPublication(form)).toMatchObject({ username: "edp", password: " s ", fingerprint: null })
  expect(toPublication({ ...form, tls: true })).toMatchObject({ fingerprint: "AB" })
})

test("an unchanged form of a stored publication changes nothing, and sends no password", () => {
  const [stored] = Schema.resolveAnnotations(HomeAssistantPublication)![
    "examples"
  ] as unknown as ReadonlyArray<HomeAssistantPublication>
  const made = toPublication(publicationFormFrom(stored!))
  expect(made).not.toHaveProperty("password")
  expect(stored).toMatchObject(made)
  expect(Schema.decodeUnknownSync(UpdateHomeAssistantPublication)(made)).toEqual(made)
})

test("a user that is removed takes the password along", () => {
  const [stored] = Schema.resolveAnnotations(HomeAssistantPublication)![
    "examples"
  ] as unknown as ReadonlyArray<HomeAssistantPublication>
  expect(toPublication({ ...publicationFormFrom(stored!), username: "" })).toMatchObject({
    username: null,
    password: null
  })
})
