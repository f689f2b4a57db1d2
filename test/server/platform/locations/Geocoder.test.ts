import { InvalidLocation } from "@edp/domain/errors/ApiErrors"
import type { Address } from "@edp/domain/shared/Address"
import { Geocoder } from "@edp/server/platform/locations/Geocoder"
import { resultUnlessUnavailable } from "@edp/server/platform/sql/DatabaseUnavailable"
import { PostalCodes } from "@edp/server/platform/locations/PostalCodes"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Result } from "effect"

const address: Address = {
  streetOne: "1315 10th Street",
  city: "Sacramento",
  state: "California",
  postalCode: "95814-1234"
}
const sacramento = { code: "95814", state: "CA", latitude: 38.580568, longitude: -121.49559 }
const lookUps: Array<ReadonlyArray<string>> = []
const postalCodes = Layer.succeed(PostalCodes, {
  find: (code: string) => Effect.succeed(code === sacramento.code ? Option.some(sacramento) : Option.none()),
  findAll: (codes: ReadonlyArray<string>) => {
    lookUps.push(codes)
    return Effect.succeed(new Map(codes.includes(sacramento.code) ? [[sacramento.code, sacramento]] : []))
  }
})
const geocode = (wanted: Address) =>
  Effect.flatMap(Geocoder, (geocoder) => geocoder.geocode(wanted)).pipe(
    Effect.provide(Geocoder.layerOffline.pipe(Layer.provide(postalCodes)))
  )
const nowhere = { location: null, county: null }

describe("the offline geocoder", () => {
  it.effect("returns the centroid of the postal code's area", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* geocode(address), {
        location: { latitude: 38.580568, longitude: -121.49559 },
        county: null
      })
    })
  )

  const contradictions: ReadonlyArray<[string, Partial<Address>]> = [
    ["a postal code of another state", { state: "NY" }],
    ["an unused postal code", { postalCode: "95899" }],
    ["a postal code with an unassigned prefix", { postalCode: "00000" }],
    ["a malformed postal code", { postalCode: "9581" }],
    ["a foreign postal code", { postalCode: "K1A 0B1" }],
    ["an invalid state", { state: "Ontario" }]
  ]
  it.effect.each(contradictions)("rejects %s", ([, change]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(geocode({ ...address, ...change }))
      assert.instanceOf(error, InvalidLocation)
    })
  )

  it.effect("has no location outside the USA, and rejects no address there", () =>
    Effect.gen(function* () {
      const ottawa = { ...address, city: "Ottawa", state: "Ontario", postalCode: "K1A 0B1", country: "Canada" }
      assert.deepStrictEqual(yield* geocode(ottawa), nowhere)
    })
  )

  it.effect("accepts a military address without a location", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* geocode({ ...address, city: "APO", state: "AE", postalCode: "09012" }), nowhere)
    })
  )

  it.effect("processes a batch in order with one query, with the results of single addresses", () =>
    Effect.gen(function* () {
      lookUps.length = 0
      const ottawa = { ...address, city: "Ottawa", state: "Ontario", postalCode: "K1A 0B1", country: "Canada" }
      const set = [{ ...address, state: "NY" }, address, ottawa, { ...address, postalCode: "95899" }, address]
      const responses = yield* Effect.flatMap(Geocoder, (geocoder) => geocoder.geocodeAll(set)).pipe(
        Effect.provide(Geocoder.layerOffline.pipe(Layer.provide(postalCodes)))
      )
      const alone = yield* Effect.forEach(set, (one) => resultUnlessUnavailable(geocode(one)))
      assert.deepStrictEqual(responses.map(Result.isSuccess), [false, true, true, false, true])
      assert.deepStrictEqual(responses, alone)
      assert.strictEqual(lookUps.length, 1)
    })
  )
})
