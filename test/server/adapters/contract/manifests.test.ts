import { existsSync, readFileSync } from "node:fs"
import { commandSlugs, deviceTypes } from "@edp/domain/devices/DeviceType"
import { Exit, Schema, SchemaAST } from "effect"
import { describe, expect, it } from "vitest"
import { blueprintAdapter } from "@edp/server/adapters/blueprint/blueprintAdapter"
import { contractAdapters, contractCases } from "./contractCases.ts"
import { settingName } from "./settingName.ts"

const docs = new URL("../../../../docs/manufacturers/", import.meta.url)

const fieldNames = (settings: Schema.Top): ReadonlyArray<string> => {
  const ast = SchemaAST.toEncoded(settings.ast)
  return ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
}

describe("the adapters", () => {
  it("have slugs of their own", () => {
    const slugs = contractAdapters.map(({ manifest }) => manifest.slug)
    expect(slugs).toEqual([...new Set(slugs)])
  })

  it("have a contract case each, and no case is without its adapter", () => {
    expect(contractCases.map(({ slug }) => slug).toSorted()).toEqual(
      contractAdapters.map(({ manifest }) => manifest.slug).toSorted()
    )
  })
})

describe.each(contractAdapters.map((adapter) => [adapter.manifest.slug, adapter] as const))(
  "the adapter %s",
  (slug, adapter) => {
    const { manifest, settings } = adapter
    const contractCase = contractCases.find((one) => one.slug === slug)

    it("names types and commands of the contract, and each command belongs to a type", () => {
      expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      expect(manifest.name.length).toBeGreaterThan(0)
      expect(manifest.deviceTypes.length).toBeGreaterThan(0)
      expect(manifest.deviceTypes.filter((type) => !deviceTypes.includes(type))).toEqual([])
      expect(manifest.commands.filter((command) => !commandSlugs.includes(command))).toEqual([])
      const types: ReadonlyArray<string> = manifest.deviceTypes
      expect(manifest.commands.filter((command) => !types.includes(command.split(":")[0]!))).toEqual([])
      expect(new Set(manifest.deviceTypes).size).toBe(manifest.deviceTypes.length)
      expect(new Set(manifest.commands).size).toBe(manifest.commands.length)
    })

    it("polls so often that its devices count as online, and within its quotas", () => {
      expect(manifest.confirmWithin).toBeGreaterThan(0)
      expect(manifest.confirmWithin).toBeLessThanOrEqual(900)
      if (manifest.polling !== null) {
        const { asleep, busy, discovery, idle, normal } = manifest.polling
        expect(busy).toBeGreaterThanOrEqual(5)
        expect(normal).toBeGreaterThanOrEqual(busy)
        expect(idle).toBeGreaterThanOrEqual(normal)
        expect(asleep).toBeGreaterThanOrEqual(normal)
        // A device is online for 15 minutes after its newest reading, unless its manufacturer has another window.
        expect(normal).toBeLessThanOrEqual(900)
        expect(discovery).toBeGreaterThanOrEqual(60)
      }
      for (const { calls, headroom, window } of manifest.quotas) {
        expect(calls).toBeGreaterThan(0)
        expect(headroom).toBeGreaterThanOrEqual(0)
        expect(headroom).toBeLessThan(1)
        expect(window === "month" || window > 0).toBe(true)
      }
    })

    it.skipIf(adapter === blueprintAdapter)("has a page in the docs, which says what was proven against what", () => {
      const page = new URL(`${slug}.md`, docs)
      expect(existsSync(page), `docs/manufacturers/${slug}.md`).toBe(true)
      const text = readFileSync(page, "utf8")
      expect(text).toContain(`\`${slug}\``)
      expect(text).toMatch(/^## Proven against$/m)
      expect(text).toMatch(/Not tried|not be tried|Not proven/)
      for (const command of manifest.commands) expect(text).toContain(command)
      for (const field of fieldNames(settings)) expect(text).toContain(settingName(slug, field))
    })

    it("takes the settings of its example, and refuses wrong ones by the field's name", () => {
      expect(contractCase).toBeDefined()
      const decode = Schema.decodeUnknownExit(settings)
      const { settings: example, wrongSettings } = contractCase!
      const names = fieldNames(settings)
      expect(names.toSorted()).toEqual(Object.keys(example).toSorted())
      expect(Exit.isSuccess(decode(example))).toBe(true)
      for (const [field, value] of Object.entries(wrongSettings)) {
        const exit = decode({ ...example, [field]: value })
        expect(Exit.isFailure(exit), `${field} = ${value}`).toBe(true)
        expect(Exit.isFailure(exit) && String(exit.cause), field).toContain(field)
      }
    })
  }
)
