import type { AccountRecord } from "@edp/adapter-simulator/cloud/AccountRecord"
import { advance } from "@edp/adapter-simulator/physics/simulate"
import type { BatteryState } from "@edp/adapter-simulator/physics/battery"
import type { Flows } from "@edp/adapter-simulator/physics/SiteState"
import type { Client } from "pg"

/** A battery as the simulated manufacturer knows it, whatever the platform believes. */
export interface SimulatedBattery {
  readonly settings: BatteryState["settings"]
  readonly forced: BatteryState["forced"]
  /** Whether any command or restored setting has ever reached the home. */
  readonly touched: boolean
  /** The powers of the home, W. */
  readonly flows: Flows
}

/** The battery of each home of a town at a time, by account, from the simulator's own records. */
export const simulatedBatteries = async (
  database: Client,
  time = Date.now()
): Promise<ReadonlyMap<string, SimulatedBattery>> => {
  const { rows } = await database.query<{ readonly key: string; readonly value: AccountRecord }>(
    "SELECT key, value FROM adapter_records WHERE adapter = 'simulator' AND key LIKE 'account/town-%'"
  )
  return new Map(
    rows.map(({ key, value }) => {
      const [site] = value.sites
      const { battery, flows } = advance(site!.profile, site!.state, site!.timeline, time)
      const { forced, saved, settings } = battery!
      const touched =
        value.given.length > 0 || saved !== null || site!.timeline.some(({ event }) => event.type === "command")
      return [key.slice("account/".length), { settings, forced, touched, flows }]
    })
  )
}
