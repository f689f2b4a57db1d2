import { connectChoice } from "@edp/server/enrollments/flow/PublicEnrollments"
import { expect, test } from "vitest"

const rule = (
  attribute: string,
  operator: "eq" | "in" | "ne" | "gte",
  value: string | number | ReadonlyArray<string>
) => ({
  attribute,
  operator,
  value
})
const battery = rule("type", "eq", "battery")
const tesla = rule("manufacturer", "eq", "tesla")

test.each([
  ["no criteria", null, null, null],
  ["empty criteria", {}, null, null],
  ["a type", battery, null, ["battery"]],
  ["several types", rule("type", "in", ["battery", "charger"]), null, ["battery", "charger"]],
  ["a manufacturer", tesla, ["tesla"], null],
  ["a type of a manufacturer", { all: [battery, tesla] }, ["tesla"], ["battery"]],
  [
    "types that both conditions name",
    { all: [battery, rule("type", "in", ["battery", "charger"])] },
    null,
    ["battery"]
  ],
  ["one type or another", { any: [battery, rule("type", "eq", "vehicle")] }, null, ["battery", "vehicle"]],
  ["a type or something else", { any: [battery, tesla] }, null, null],
  ["everything but a type", { not: battery }, null, null],
  ["all but one manufacturer", rule("manufacturer", "ne", "tesla"), null, null],
  ["another attribute", rule("staticState.capacity", "gte", 10_000), null, null],
  ["a type that there is not", rule("type", "eq", "toaster"), null, null],
  ["types that exclude each other", { all: [battery, rule("type", "eq", "vehicle")] }, null, null]
])("%s limits the choice of devices to what it names", (_, criteria, manufacturers, deviceTypes) => {
  expect(connectChoice(criteria)).toEqual({ manufacturers, deviceTypes })
})
