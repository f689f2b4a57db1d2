import { deepEqual, equal, match, ok } from "node:assert/strict"
import { commandSlugs, deviceTypes } from "@edp/domain/devices/DeviceType"
import { Exit, Schema } from "effect"
import { listSettings } from "../adapterSettings.ts"
import type { AnyManufacturerAdapter } from "../ManufacturerAdapter.ts"
import type { ContractCase } from "./ContractCase.ts"
import type { TestRunner } from "./TestRunner.ts"

/** Declares the tests of an adapter's data: its manifest and its settings. */
export const testManifest = (
  { manifest, settings }: AnyManufacturerAdapter,
  contractCase: ContractCase,
  { it }: TestRunner
): void => {
  it("names types and commands of the contract, and each command belongs to a type", () => {
    equal(manifest.slug, contractCase.slug)
    match(manifest.slug, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    ok(manifest.name.length > 0)
    ok(manifest.deviceTypes.length > 0)
    deepEqual(
      manifest.deviceTypes.filter((type) => !deviceTypes.includes(type)),
      []
    )
    deepEqual(
      manifest.commands.filter((command) => !commandSlugs.includes(command)),
      []
    )
    const types: ReadonlyArray<string> = manifest.deviceTypes
    deepEqual(
      manifest.commands.filter((command) => !types.includes(command.split(":")[0]!)),
      []
    )
    equal(new Set(manifest.deviceTypes).size, manifest.deviceTypes.length)
    equal(new Set(manifest.commands).size, manifest.commands.length)
  })

  it("polls so often that its devices count as online, and within its quotas", () => {
    ok(manifest.confirmWithin > 0 && manifest.confirmWithin <= 900)
    if (manifest.polling !== null) {
      const { asleep, busy, discovery, idle, normal } = manifest.polling
      ok(busy >= 5)
      ok(normal >= busy)
      ok(idle >= normal)
      ok(asleep >= normal)
      // A device is online for 15 minutes after its newest reading, unless its manufacturer has another window.
      ok(normal <= 900)
      ok(discovery >= 60)
    }
    for (const { calls, headroom, window } of manifest.quotas) {
      ok(calls > 0)
      ok(headroom >= 0 && headroom < 1)
      ok(window === "month" || window > 0)
    }
  })

  it("takes the settings of its example, and refuses wrong ones by the field's name", () => {
    const decode = Schema.decodeUnknownExit(settings)
    const { settings: example, wrongSettings } = contractCase
    const names = listSettings({ settings }).map(({ name }) => name)
    deepEqual(names.toSorted(), Object.keys(example).toSorted())
    ok(Exit.isSuccess(decode(example)), "The example is not valid")
    for (const [field, value] of Object.entries(wrongSettings)) {
      const exit = decode({ ...example, [field]: value })
      ok(Exit.isFailure(exit), `${field} = ${value} is valid`)
      ok(String(exit.cause).includes(field), `${field} is not named`)
    }
  })
}
