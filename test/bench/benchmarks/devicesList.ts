import { countStatement, type ListedBy, listings, pageStatement } from "../baselines/devicePage.ts"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"
import { comparePages, type Page } from "./comparePages.ts"
import { cursorWalk } from "./cursorWalk.ts"

const DEVICES = 1_000_000
const SITES = 100_000
const PER_PAGE = 50
const CONNECTIONS = 8

const makePage = (by: ListedBy): Page => {
  const page = pageStatement(by, PER_PAGE)
  const whole = by.query === ""
  return {
    against: whole ? "the bare page, no filter" : `bare page and count, ${by.query}`,
    traffic: { kind: "get", paths: [`/v1/devices?perPage=${PER_PAGE}${whole ? "" : `&${by.query}`}`] },
    statements: whole ? [page] : [page, countStatement(by)]
  }
}

const measure = async (on: PostgresSetting, setting: Setting): Promise<ReadonlyArray<Figure>> => {
  const { serverKey, workspaceId } = on.platform.credentials
  const { note } = setting
  const pages = comparePages(on, setting)
  const figures: Array<Figure> = []
  try {
    const [whole, ...filtered] = listings(workspaceId)
    note("the whole list")
    await pages.warm(makePage(whole!).traffic)
    figures.push(await pages.compare(makePage(whole!), CONNECTIONS, 3))
    figures.push(await pages.compare(makePage(whole!), 1, 1))
    for (const by of filtered) {
      note(by.query)
      figures.push(await pages.compare(makePage(by), CONNECTIONS, 1.5))
    }
    note("the cursor walk")
    const { devices, first, last } = await cursorWalk(on.platform.port, serverKey)
    if (devices !== DEVICES) throw new Error(`The walk met ${devices} devices instead of ${DEVICES}`)
    figures.push({
      name: "cursor walk over all devices: a page at the end against one at the beginning",
      measured: last / first,
      unit: "×",
      target: { atMost: 1.2 },
      behind: `${last.toFixed(2)} ms against ${first.toFixed(2)} ms for 100 devices`
    })
    return figures
  } finally {
    await pages.stop()
  }
}

/** GET /v1/devices in a workspace of a million devices. */
export const devicesList: Benchmark = {
  name: "devices-list",
  run: (setting) => {
    setting.note("makes a million devices")
    return onPostgres(setting, { devices: DEVICES, sites: SITES }, (on) => measure(on, setting))
  }
}
