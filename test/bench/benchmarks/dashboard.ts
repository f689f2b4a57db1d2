import { setTimeout } from "node:timers/promises"
import { Client } from "pg"
import { openPage, type Page } from "../../support/chromium.ts"
import { fleetStatements } from "../../support/fleet.ts"
import { guardedFolder } from "../../support/guardedFolder.ts"
import { startPostgres } from "../../support/PostgresServer.ts"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { type Platform, startPlatform } from "../setting/platform.ts"
import { signIn } from "../setting/signIn.ts"
import { median } from "../statistics.ts"

const DEVICES = 100_000
const MOST_DROPPED = 5
const LOADS = 7
const SLOWDOWN = 4
const MOST_SECONDS = 1
const TURNS = 120
const JUMPS = 20

/** Frames that a person would miss, and those that were shown. */
const countFrames = (events: ReadonlyArray<any>) => {
  const frames = events
    .filter(({ name, ph }) => name === "PipelineReporter" && ph === "b")
    .map(({ args }) => args.chrome_frame_reporter ?? args.frame_reporter)
  const dropped = frames.filter((frame) => frame?.state === "STATE_DROPPED" && frame.affects_smoothness === true)
  const shown = frames.filter((frame) => String(frame?.state).startsWith("STATE_PRESENTED"))
  return { dropped: dropped.length, shown: shown.length }
}

const droppedFrames = async (page: Page, name: string, run: () => Promise<void>): Promise<Figure> => {
  const { dropped, shown } = countFrames(await page.trace(["cc", "benchmark"], run))
  return {
    name,
    measured: (100 * dropped) / Math.max(1, dropped + shown),
    unit: "%",
    target: { atMost: MOST_DROPPED },
    behind: `${dropped} of ${dropped + shown}`
  }
}

/** Frames that are dropped while the list of a large fleet is scrolled. */
const scrolling = async (page: Page): Promise<ReadonlyArray<Figure>> => {
  await page.until(
    `document.querySelector(".fleet-row a") !== null && document.querySelector(".fleet-counts") !== null`
  )
  await page.evaluate(`document.querySelector(".virtual-frame").scrollIntoView({ block: "end" })`)
  const turning = (pixels: number) => async () => {
    for (let turn = 0; turn < TURNS; turn++) {
      await page.wheel(640, 400, pixels)
      await setTimeout(16)
    }
  }
  const jumping = async () => {
    for (let jump = 0; jump < JUMPS; jump++) {
      const share = ((jump * 7919) % 100) / 100
      await page.evaluate(
        `{ const frame = document.querySelector(".virtual-frame"); frame.scrollTop = ${share} * frame.scrollHeight }`
      )
      await setTimeout(250)
    }
  }
  return [
    await droppedFrames(page, "frames dropped, 100,000 devices scrolled row by row", turning(120)),
    await droppedFrames(page, "frames dropped, scrolled by pages", turning(1500)),
    await droppedFrames(page, "frames dropped, jumps anywhere", jumping)
  ]
}

/**
 * From the navigation until the first row of the list stands and the page is free to run another task, as which it would handle a
 * click: without files from the cache, on a slow processor.
 */
const opening = async (page: Page, url: string): Promise<Figure> => {
  await page.emulate({ cache: false, slowdown: SLOWDOWN })
  const loads: Array<number> = []
  for (let load = 0; load < LOADS; load++) {
    await page.goTo(url)
    const ms = await page.evaluate(`new Promise((done) => {
      const look = () => document.querySelector(".fleet-row a") === null
        ? requestAnimationFrame(look)
        : setTimeout(() => done(performance.now()))
      look()
    })`)
    loads.push(ms)
  }
  await page.emulate({ cache: true, slowdown: 1 })
  return {
    name: "interactive after, on a fourth of the processor",
    measured: median(loads) / 1000,
    unit: "s",
    target: { atMost: MOST_SECONDS },
    behind: `${LOADS} loads of 100,000 devices: ${loads.map((ms) => ms.toFixed(0)).join(", ")} ms`
  }
}

const seed = async (url: string, workspaceId: string) => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of fleetStatements({ workspaceId, devices: DEVICES })) await client.query(statement)
  } finally {
    await client.end()
  }
}

const measure = async ({ note }: Setting, platform: Platform, folder: string) => {
  note("opening the fleet in Chromium")
  const page = await openPage(folder, "about:blank")
  try {
    await page.emulate({ size: [1280, 900] })
    await signIn(page, platform)
    const figure = await opening(page, `http://127.0.0.1:${platform.port}/dashboard/fleet`)
    return [figure, ...(await scrolling(page))]
  } finally {
    await page.close()
  }
}

/** The operators' page with a large fleet, in Chromium. */
export const dashboard: Benchmark = {
  name: "dashboard",
  run: async (setting) => {
    const postgres = await startPostgres()
    const [folder, profile] = [await guardedFolder("edp-bench"), await guardedFolder("edp-chromium")]
    try {
      const platform = await startPlatform({
        dataDir: folder.path,
        databaseUrl: postgres.url,
        profiles: setting.profiles
      })
      try {
        setting.note(`seeding ${DEVICES} devices`)
        await seed(postgres.url, platform.credentials.workspaceId)
        return await measure(setting, platform, profile.path)
      } finally {
        await platform.stop()
      }
    } finally {
      await postgres.stop()
      await folder.remove()
      await profile.remove()
    }
  }
}
