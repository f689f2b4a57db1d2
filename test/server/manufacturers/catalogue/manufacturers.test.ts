import { deviceTypes } from "@edp/domain/devices/DeviceType"
import { staticStateSchemas } from "@edp/domain/devices/StaticState"
import { catalogueModels } from "@edp/server/device-models/catalogue/deviceModels"
import { catalogueManufacturers } from "@edp/server/manufacturers/catalogue/manufacturers"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const typesBySlug = new Map(catalogueManufacturers.map(({ slug, deviceTypes }) => [slug, deviceTypes]))
const unique = (values: ReadonlyArray<string>) => assert.strictEqual(new Set(values).size, values.length)

describe("the starter catalogue of manufacturers", () => {
  it("has one well-formed slug per manufacturer", () => {
    unique(catalogueManufacturers.map(({ slug }) => slug))
    for (const { slug } of catalogueManufacturers) assert.match(slug, /^[a-z0-9][a-z0-9-]{0,62}$/)
  })

  it("has no connect flow, and every manufacturer can push", () => {
    for (const entry of catalogueManufacturers) {
      assert.isFalse(entry.connectable, entry.slug)
      assert.isTrue(entry.directIntegration, entry.slug)
    }
  })

  it("lists device types, each once", () => {
    for (const { slug, deviceTypes: types } of catalogueManufacturers) {
      assert.isAbove(types.length, 0, slug)
      unique(types)
    }
  })
})

describe("the starter catalogue of device models", () => {
  it("has each model once, under its manufacturer", () => {
    unique(catalogueModels.map(({ key }) => key))
    unique(catalogueModels.map(({ manufacturer, name }) => `${manufacturer} ${name}`))
    for (const { key, manufacturer } of catalogueModels) {
      assert.match(key, /^[a-z0-9-]+\/[a-z0-9][a-z0-9-]*$/)
      assert.isTrue(key.startsWith(`${manufacturer}/`), key)
    }
  })

  it("has a manufacturer with the type of every model", () => {
    for (const { key, manufacturer, type } of catalogueModels) {
      assert.include(typesBySlug.get(manufacturer) ?? [], type, key)
    }
  })

  it.each(["generic", "simulator"])("has one %s model of each device type", (slug) => {
    const types = catalogueModels.filter(({ manufacturer }) => manufacturer === slug).map(({ type }) => type)
    assert.deepStrictEqual(types.toSorted(), [...deviceTypes].toSorted())
  })

  it("has no ratings for generic devices", () => {
    const generic = catalogueModels.filter(({ manufacturer }) => manufacturer === "generic")
    assert.isTrue(generic.every(({ staticState }) => staticState === null))
  })

  it("has static states that fit the type's schema, without unknown fields", () => {
    for (const { key, type, staticState } of catalogueModels) {
      if (staticState === null) continue
      const decode = Schema.decodeUnknownSync(staticStateSchemas[type] as Schema.Codec<unknown, unknown>)
      assert.deepStrictEqual(decode(staticState, { onExcessProperty: "error" }), staticState, key)
    }
  })

  it("has only commands of the model's own type, each once", () => {
    for (const { key, type, commands } of catalogueModels) {
      unique(commands)
      assert.isTrue(
        commands.every((slug) => slug.startsWith(`${type}:`)),
        key
      )
    }
  })
})
