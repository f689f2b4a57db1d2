import type { Product } from "@edp/domain/products/Product"
import { findProducts } from "@edp/server/products/findProducts"
import { describe, expect, test } from "vitest"

const product = (name: string, manufacturerName: string): Product => ({
  name,
  manufacturer: "ocpp",
  manufacturerName,
  deviceTypes: ["charger"],
  commands: [],
  connection: "inbound",
  provenAgainst: null
})

const products = [
  product("ABB Terra AC", "OCPP charging station"),
  product("Deye or Sunsynk three-phase hybrid", "Deye"),
  product("Öko Türbox", "Öko"),
  product("Wallbox Copper SB", "OCPP charging station"),
  product("Wallbox Pulsar Max", "OCPP charging station"),
  product("Wallbox Pulsar Plus", "OCPP charging station")
]

const names = (query: string) => findProducts(products, query).map(({ name }) => name)

describe("a search for products", () => {
  test.each([
    ["all words, in any order", "pulsar WALLBOX", ["Wallbox Pulsar Max", "Wallbox Pulsar Plus"]],
    ["the beginning of the name", "wallbox p", ["Wallbox Pulsar Max", "Wallbox Pulsar Plus"]],
    ["an equal name before those that begin with it", "Wallbox Pulsar Plus", ["Wallbox Pulsar Plus"]],
    ["most of the words, where no product has all", "Sunsynk 8K", ["Deye or Sunsynk three-phase hybrid"]],
    ["words of the manufacturer", "abb charging", ["ABB Terra AC"]],
    ["letters without their accents", "turbox", ["Öko Türbox"]],
    ["similar words, where none is right", "pulsr", ["Wallbox Pulsar Max", "Wallbox Pulsar Plus"]],
    ["no short words that are wrong", "acx", []],
    ["no word that shares half of its letters", "sunspec", []],
    ["nothing in signs", "%_", []]
  ])("finds %s", (_, query, found) => {
    expect(names(query)).toEqual(found)
  })
})
