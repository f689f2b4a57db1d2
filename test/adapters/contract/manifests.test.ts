import { existsSync, readFileSync } from "node:fs"
import { listSettings } from "@edp/adapter-kit/adapterSettings"
import { describe, expect, it } from "vitest"
import { blueprintAdapter } from "@edp/adapter-blueprint/blueprintAdapter"
import { contractAdapters, contractCases } from "./contractCases.ts"
import { settingName } from "./settingName.ts"

const docs = new URL("../../../docs/manufacturers/", import.meta.url)

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
    const { manifest } = adapter

    it.skipIf(adapter === blueprintAdapter)("has a page in the docs, which says what was proven against what", () => {
      const page = new URL(`${slug}.md`, docs)
      expect(existsSync(page), `docs/manufacturers/${slug}.md`).toBe(true)
      const text = readFileSync(page, "utf8")
      expect(text).toContain(`\`${slug}\``)
      expect(text).toMatch(/^## Proven against$/m)
      expect(text).toMatch(/Not tried|not be tried|Not proven/)
      for (const command of manifest.commands) expect(text).toContain(command)
      for (const { name } of listSettings(adapter)) expect(text).toContain(settingName(slug, name))
    })
  }
)
