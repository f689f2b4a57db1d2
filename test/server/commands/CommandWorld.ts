import { isDeepStrictEqual } from "node:util"
import { CommandIssuer, type NewCommand } from "@edp/server/commands/issuing/CommandIssuer"
import { CommandOutcomes } from "@edp/server/commands/CommandOutcomes"
import { CommandReverts } from "@edp/server/commands/forced-modes/CommandReverts"
import { CommandRunner } from "@edp/server/commands/CommandRunner"
import type { CommandReason } from "@edp/domain/commands/CommandReason"
import { Clock, Effect, Logger } from "effect"
import { expect } from "vitest"
import { eventually } from "../../support/eventually.ts"
import type { Random } from "../../support/Random.ts"
import { discovered, type scriptedAdapter } from "../../support/scriptedAdapter.ts"
import type { Running, TestApp } from "../../support/TestApp.ts"
import { arrangeAccounts } from "../accounts/arrangeAccounts.ts"
import { batteryCommands } from "./arrangeCommands.ts"
import { expectAllowed, isOpen, type StoredCommand, type StoredMode } from "./commandRules.ts"
import { ModelBattery, type WorldDevice } from "./ModelBattery.ts"

const sources = ["user", "dispatch", "schedule"] as const
const hour = 3_600_000
/** The dispatch that issues all of its commands. */
const dispatchId = "cdispatch0000000000000000"

/** Batteries, their commands, and a clock that only the test moves. Everything that may happen to them is a step. */
export class CommandWorld {
  now = Date.now()
  readonly devices: ReadonlyArray<WorldDevice>
  readonly #app: TestApp
  readonly #random: Random
  readonly #place: Awaited<ReturnType<typeof arrangeAccounts>>
  #commands = new Map<string, StoredCommand>()
  #modes: ReadonlyArray<StoredMode> = []

  private constructor(
    app: TestApp,
    random: Random,
    place: Awaited<ReturnType<typeof arrangeAccounts>>,
    devices: (now: () => number) => ReadonlyArray<WorldDevice>
  ) {
    this.#app = app
    this.#random = random
    this.#place = place
    this.devices = devices(() => this.now)
  }

  static async make(app: TestApp, scripted: ReturnType<typeof scriptedAdapter>, random: Random, size: number) {
    const place = await arrangeAccounts(app, scripted)
    const linked = await Promise.all(
      Array.from({ length: size }, async () => {
        const person = scripted.account()
        person.account.devices = [discovered(person.device, { type: "battery", commands: batteryCommands })]
        return { person, id: (await place.link(person)).deviceId }
      })
    )
    return new CommandWorld(app, random, place, (now) =>
      linked.map(({ id, person }) => {
        const battery = new ModelBattery(random, now)
        person.account.send = battery.send
        person.account.restore = battery.restore
        return { id, battery }
      })
    )
  }

  /** Runs an effect of the server at the test's time. */
  #run<A, E>(effect: Effect.Effect<A, E, Running>): Promise<A> {
    const at = () => this.now
    return this.#app.run(
      Effect.gen(function* () {
        const real = yield* Clock.Clock
        const clock: Clock.Clock = {
          currentTimeMillisUnsafe: at,
          currentTimeMillis: Effect.sync(at),
          currentTimeNanosUnsafe: () => BigInt(at()) * 1_000_000n,
          currentTimeNanos: Effect.sync(() => BigInt(at()) * 1_000_000n),
          monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
          monotonicTimeNanos: real.monotonicTimeNanos,
          sleep: (duration) => real.sleep(duration)
        }
        return yield* Effect.provideService(effect, Clock.Clock, clock)
      }).pipe(Effect.provide(Logger.layer([])))
    )
  }

  get #ids() {
    return this.devices.map(({ id }) => id)
  }

  /** Issues a command, and checks those that it overrides. */
  async issue(device: WorldDevice, more: Partial<NewCommand> = {}) {
    const random = this.#random
    // Few different seconds, so that commands meet at one.
    const later = Math.ceil(this.now / 60_000) * 60_000 + random.below(3) * 60_000
    const scheduledFor = random.chance(0.4) ? new Date(later + random.pick([0, 1, 999])) : null
    const begin = scheduledFor?.getTime() ?? this.now
    const type = random.pick(batteryCommands)
    const isMode = type === "battery:set-operating-mode"
    const operatingMode = random.pick(["charge", "discharge", "idle", "reset"])
    const isForced = isMode && operatingMode !== "reset"
    const source = random.pick(sources)
    const command: NewCommand = {
      workspaceId: this.#place.workspaceId,
      deviceId: device.id,
      type,
      input: isMode ? { operatingMode } : { chargePercentage: random.below(101) },
      source,
      sourceId: source === "dispatch" ? dispatchId : null,
      batchId: null,
      scheduledFor,
      notBefore: scheduledFor === null && random.chance(0.1) ? new Date(begin + 30_000) : null,
      expiresAt: new Date(begin + random.pick([1, 5000, 900_000, hour])),
      revertAfter: isForced && random.chance(0.7) ? 60 + random.below(3600) : null,
      ...more
    }
    const rivals = [...this.#commands.values()].filter((one) => isRival(one, command, this.now))
    const [issued] = await this.#run(Effect.flatMap(CommandIssuer, (issuer) => issuer.issue([command])))
    const rank = ({ source }: { readonly source: string }) => sources.indexOf(source as "user")
    const isOutranked = rivals.some((one) => rank(one) < rank(command))
    expect(issued!.reason).toBe(isOutranked ? "overridden" : undefined)
    await this.look()
    const ended = rivals.filter(({ id }) => this.#commands.get(id)!.reason === "overridden")
    expect(ended).toEqual(rivals.filter((one) => !one.isLeased && rank(one) >= rank(command)))
  }

  /** A caller cancels a command, which it may until a worker has it leased. */
  async cancel(id: string) {
    const { isLeased, status } = await this.#read(id)
    const response = await this.tryCancel(id)
    const may = (status === "pending" || status === "scheduled") && !isLeased
    expect(response.status).toBe(may ? 200 : 400)
  }

  /** The dispatch leaves all devices. Returns those on which something of it is still open. */
  async revert() {
    await this.look()
    const isMine = ({ source }: StoredCommand) => source === "dispatch"
    const before = this.#commands
    const modes = this.#modes
    const open = await this.#run(Effect.flatMap(CommandReverts, ({ revert }) => revert(this.#ids, dispatchId)))
    await this.look()
    const left = this.commands.filter((command) => isMine(command) && isUndelivered(command))
    expect(left.filter(({ isLeased }) => !isLeased)).toEqual([])
    const held = this.#modes.filter(({ commandId }) => isMine(this.#commands.get(commandId)!))
    const unended = held.filter(({ phase }) => phase !== "ended")
    expect(unended.filter(({ phase }) => phase === "holding")).toEqual([])
    expect(open).toEqual([...new Set([...left, ...unended].map(({ deviceId }) => deviceId))].toSorted())
    for (const [id, command] of before) {
      const after = this.#commands.get(id)!
      const isCancelled = isMine(command) && isUndelivered(command) && !command.isLeased
      expect(pickStatus(after)).toEqual(isCancelled ? { status: "failed", reason: "cancelled" } : pickStatus(command))
    }
    for (const mode of modes.filter(({ commandId }) => !isMine(before.get(commandId)!)))
      expect(this.#modes).toContainEqual(mode)
    return open
  }

  tryCancel(id: string) {
    return this.#place.call("POST", `/v1/commands/${id}/cancel`)
  }

  /** A result arrives from the manufacturer, or the state of the device shows one. */
  async report(id: string, status: "completed" | "failed", reason: CommandReason | null = null) {
    await this.#run(
      Effect.flatMap(CommandOutcomes, (outcomes) =>
        Effect.flatMap(outcomes.record([{ id, status, reason, output: null, upstream: null }]), (changed) =>
          changed.length > 0 ? Effect.void : outcomes.recordLate(id, { status, reason })
        )
      )
    )
  }

  /** Ends what is overdue. Only what a dead worker has left leased is left to the one that takes the device over. */
  async timeOut() {
    await this.#run(Effect.flatMap(CommandOutcomes, (outcomes) => outcomes.timeOut))
    await this.look()
    const overdue = this.commands.filter((command) => isOpen(command) && command.deadline.getTime() <= this.now)
    expect(overdue.filter(({ isLeased }) => !isLeased)).toEqual([])
  }

  /** A worker takes what is due. It ends or dies with each device. */
  async work() {
    // Pauses that a manufacturer asks for are kept by the database's clock.
    await this.#app.sql((sql) => sql`DELETE FROM manufacturer_pauses RETURNING 1`)
    await this.#run(Effect.flatMap(CommandRunner, ({ step }) => step))
    await eventually("the workers end", async () => {
      const claimed = await this.#app.sql<{ readonly id: string }>(
        (sql) => sql`SELECT device_id AS id FROM device_work
          WHERE lease_until > clock_timestamp() AND device_id = ANY(${this.#ids}::text[])`
      )
      const isOrphaned = (id: string) => this.devices.find((device) => device.id === id)!.battery.isOrphaned
      return claimed.every(({ id }) => isOrphaned(id)) ? true : undefined
    })
  }

  /** A worker dies before it has called for a device, or after it has recorded the outcome. */
  async orphan({ battery, id }: WorldDevice) {
    if (battery.isOrphaned) return
    const rows = await this.#app.sql(
      (sql) => sql`UPDATE device_work SET claim = gen_random_uuid(), lease_until = 'infinity',
          due_at = least(due_at, ${new Date(this.now)}) WHERE device_id = ${id} RETURNING 1`
    )
    battery.isOrphaned = rows.length > 0
  }

  /** The leases of dead workers end, and another instance looks for work. */
  async expireLeases() {
    await this.#app.sql(
      (sql) => sql`UPDATE device_work SET lease_until = least(lease_until, clock_timestamp()), avoided_by = NULL
        WHERE device_id = ANY(${this.#ids}::text[]) RETURNING 1`
    )
    for (const { battery } of this.devices) battery.isOrphaned = false
  }

  /** The time of the next thing to do; undefined when there is none. */
  async next() {
    const [row] = await this.#app.sql<{ readonly at: Date | null }>(
      (sql) => sql`SELECT least(
        (SELECT min(due_at) FROM device_work WHERE device_id = ANY(${this.#ids}::text[]) AND due_at < 'infinity'),
        (SELECT min(deadline) FROM commands WHERE device_id = ANY(${this.#ids}::text[])
          AND status IN ('pending', 'scheduled', 'delivered'))) AS at`
    )
    return row!.at?.getTime()
  }

  get commands() {
    return [...this.#commands.values()]
  }

  /** Reads everything, and compares it with the rules and with the last look. */
  async look() {
    const commands = await this.#app.sql<StoredCommand>(
      (sql) => sql`SELECT id, c.device_id AS "deviceId", type, source, status, reason, issued_at AS "issuedAt",
          scheduled_for AS "scheduledFor", expires_at AS "expiresAt", delivered_at AS "deliveredAt",
          executed_at AS "executedAt", late_result AS "lateResult", due_at AS "dueAt", deadline, in_hand AS "isLeased",
          coalesce(e.types, '{}') AS events
        FROM commands c LEFT JOIN (
          SELECT payload->'command'->>'id' AS id, array_agg(type ORDER BY sequence) AS types
          FROM events WHERE workspace_id = ${this.#place.workspaceId} GROUP BY 1) AS e USING (id)
        WHERE c.device_id = ANY(${this.#ids}::text[]) ORDER BY id`
    )
    const modes = await this.#app.sql<StoredMode>(
      (
        sql
      ) => sql`SELECT f.device_id AS "deviceId", f.command_id AS "commandId", f.snapshot, f.phase, f.due_at AS "dueAt",
          w.due_at AS "workDueAt", d.forced_mode AS shown
        FROM forced_modes f JOIN device_work w USING (device_id) JOIN devices d ON d.id = f.device_id
        WHERE f.device_id = ANY(${this.#ids}::text[])`
    )
    expectAllowed({ before: this.#commands, commands, modes, devices: this.devices, now: this.now })
    this.#commands = new Map(commands.map((command) => [command.id, command]))
    this.#modes = modes
  }

  async #read(id: string) {
    await this.look()
    return this.#commands.get(id)!
  }
}

const pickStatus = ({ reason, status }: StoredCommand) => ({ status, reason })

const isUndelivered = ({ status }: StoredCommand) => status === "pending" || status === "scheduled"

const second = (at: Date | null) => at && Math.floor(at.getTime() / 1000)

/** Whether an undelivered command would be overridden by a new one of a rank that is not lower. */
const isRival = (one: StoredCommand, { deviceId, scheduledFor, type }: NewCommand, now: number) =>
  one.deviceId === deviceId &&
  one.type === type &&
  isUndelivered(one) &&
  (scheduledFor === null
    ? one.scheduledFor === null || one.scheduledFor.getTime() <= now
    : isDeepStrictEqual(second(one.scheduledFor), second(scheduledFor)))
