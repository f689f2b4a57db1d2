import { countStatement, pageStatement } from "../baselines/devicePage.ts"
import { byTag, type CriteriaByHand, keptIds } from "../baselines/memberPage.ts"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import type { Traffic } from "../load/requests.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"
import { RARE_TAG, WIDE_TAG } from "../setting/seedFleet.ts"
import { createCollection, seedSets } from "../setting/seedSets.ts"
import { comparePages } from "./comparePages.ts"

const DEVICES = 1_000_000
const SITES = 100_000
const PER_PAGE = 50
/** Collections that are requested concurrently, each request for another one: none is that of `RARE_TAG`. */
const DIFFERENT = 64

/** Creates a collection of the criteria; a materialized one has its members when this is done. */
const create = (on: PostgresSetting, { criteria, tag }: CriteriaByHand, dynamic: boolean) =>
  createCollection(on, { name: `${tag}, ${dynamic ? "live" : "kept"}`, criteria, dynamic })

const membersPath = (id: string) => `/v1/collections/${id}/members?perPage=${PER_PAGE}`

const measure = async (on: PostgresSetting, setting: Setting): Promise<ReadonlyArray<Figure>> => {
  const pages = comparePages(on, setting)
  const figures: Array<Figure> = []
  const makeStatements = (matching: string) => {
    const by = { query: "", matching }
    return [pageStatement(by, PER_PAGE), countStatement(by)]
  }
  const compare = async (what: string, traffic: Traffic, matching: string, connections: number) => {
    setting.note(what)
    const page = { against: `bare page and count, ${what}`, traffic, statements: makeStatements(matching) }
    await pages.warm(traffic)
    figures.push(await pages.compare(page, connections, 2))
    figures.push(await pages.compare(page, 1, 1))
  }
  const get = (id: string): Traffic => ({ kind: "get", paths: [membersPath(id)] })
  /** Equal requests share their responses; these can't. The benefit of sharing has no target. */
  const compareDifferent = async (what: string, ids: ReadonlyArray<string>, matching: string) => {
    setting.note(what)
    const traffic: Traffic = { kind: "get", paths: ids.map(membersPath) }
    const page = { against: `bare page and count, ${what}`, traffic, statements: makeStatements(matching) }
    await pages.warm(traffic)
    const { target: _, ...figure } = await pages.compare(page, ids.length, 2)
    figures.push(figure)
  }

  try {
    for (const [tag, tagged, connections] of [
      [RARE_TAG, "1,000 tagged", 64],
      // Counting 20,000 among 100,000 takes the bare client a good part of a second.
      [WIDE_TAG, "100,000 tagged", 8]
    ] as const) {
      const by = byTag(on.platform.credentials.workspaceId, tag)
      await compare(`live collection, ${tagged}`, get(await create(on, by, true)), by.matching, connections)
      const preview: Traffic = {
        kind: "post",
        path: `/v1/collections/preview?perPage=${PER_PAGE}`,
        body: JSON.stringify({ collectionType: "DEVICE", criteria: by.criteria })
      }
      await compare(`preview, ${tagged}`, preview, by.matching, connections)
      const kept = await create(on, by, false)
      await compare(`materialized, ${tagged}`, get(kept), keptIds(kept), connections)
    }
    const tags = Array.from({ length: DIFFERENT }, (_, n) => byTag(on.platform.credentials.workspaceId, `fleet-${n}`))
    const live: Array<string> = []
    for (const by of tags) live.push(await create(on, by, true))
    await compareDifferent("live collections, 1,000 tagged, each another one", live, tags[7]!.matching)
    const sets = await seedSets(on, DIFFERENT, 200)
    await compareDifferent("sets of 200, each another one", sets, keptIds(sets[7]!))
    return figures
  } finally {
    await pages.stop()
  }
}

/** The first members of collections by type, tag and a field of the state, among a million devices. */
export const collections: Benchmark = {
  name: "collections",
  run: (setting) => {
    setting.note("makes a million devices")
    return onPostgres(setting, { devices: DEVICES, sites: SITES, varied: true }, (on) => measure(on, setting))
  }
}
