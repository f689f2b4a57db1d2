import { callAt } from "../../support/callAt.ts"
import { countStatement, pageStatement } from "../baselines/devicePage.ts"
import { byTag, type CriteriaByHand, keptIds } from "../baselines/memberPage.ts"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import type { Traffic } from "../load/requests.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"
import { RARE_TAG, WIDE_TAG } from "../setting/seedFleet.ts"
import { comparePages } from "./comparePages.ts"

const DEVICES = 1_000_000
const SITES = 100_000
const PER_PAGE = 50

interface Created {
  readonly id: string
}

/** Creates a collection of the criteria; a kept set has its members when this is done. */
const create = async ({ platform }: PostgresSetting, { criteria, tag }: CriteriaByHand, dynamic: boolean) => {
  const { status, body, text } = await callAt(`http://127.0.0.1:${platform.port}`, "POST", "/v1/collections", {
    key: platform.credentials.serverKey,
    body: { name: `${tag}, ${dynamic ? "live" : "kept"}`, collectionType: "DEVICE", criteria, dynamic }
  })
  if (status !== 201) throw new Error(`no collection: ${text}`)
  return body as Created
}

const measure = async (on: PostgresSetting, setting: Setting): Promise<ReadonlyArray<Figure>> => {
  const pages = comparePages(on, setting)
  const figures: Array<Figure> = []
  const statementsOf = (matching: string) => {
    const by = { query: "", matching }
    return [pageStatement(by, PER_PAGE), countStatement(by)]
  }
  const compare = async (what: string, traffic: Traffic, matching: string, connections: number) => {
    setting.note(what)
    const page = { against: `bare page and count, ${what}`, traffic, statements: statementsOf(matching) }
    await pages.warm(traffic)
    figures.push(await pages.compare(page, connections, 2))
    figures.push(await pages.compare(page, 1, 1))
  }
  const membersOf = ({ id }: Created): Traffic => ({
    kind: "get",
    paths: [`/v1/collections/${id}/members?perPage=${PER_PAGE}`]
  })

  try {
    for (const [tag, tagged, connections] of [
      [RARE_TAG, "1,000 tagged", 64],
      // Counting 20,000 among 100,000 takes the bare client a good part of a second.
      [WIDE_TAG, "100,000 tagged", 8]
    ] as const) {
      const by = byTag(on.platform.credentials.workspaceId, tag)
      await compare(`live collection, ${tagged}`, membersOf(await create(on, by, true)), by.matching, connections)
      const preview: Traffic = {
        kind: "post",
        path: `/v1/collections/preview?perPage=${PER_PAGE}`,
        body: JSON.stringify({ collectionType: "DEVICE", criteria: by.criteria })
      }
      await compare(`preview, ${tagged}`, preview, by.matching, connections)
      const kept = await create(on, by, false)
      await compare(`kept set, ${tagged}`, membersOf(kept), keptIds(kept.id), connections)
    }
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
