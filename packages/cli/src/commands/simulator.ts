import {
  type SimulatorAccount,
  type SimulatorFault,
  accountFaultKinds,
  deviceFaultKinds,
  refusableReasons,
  simulatedTypes,
  simulatorFaultKinds
} from "@edp/domain/accounts/Simulator"
import { commandSlugs } from "@edp/domain/devices/DeviceType"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { request } from "../kernel/Connection.ts"
import { showRecord, showTable } from "../kernel/Output.ts"
import { several, text, yes } from "../kernel/flags.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"
import { confirmDeletion, verb } from "../kernel/verb.ts"
import { durationFlag } from "../kernel/durationFlag.ts"
import { linkDemo } from "./simulator/linkDemo.ts"
import { linkTown } from "./simulator/linkTown.ts"

const account = Argument.String("account").pipe(Argument.withDescription("Id of the account, such as sunny"))
const device = text("device", "The manufacturer's id of a device; default: the account, or all its devices")

const describeFault = ({ deviceId, from, kind, until }: SimulatorFault) =>
  `${kind}${deviceId === null ? "" : ` at ${deviceId}`} from ${from}${until === null ? "" : ` until ${until}`}`

const describeClock = ({ behind, speed, time }: SimulatorAccount["clock"]) =>
  behind === 0 && speed === 1 ? "the present" : `${time}, ${speed === 0 ? "standing" : `at ${speed} times`}`

const listDevices = ({ sites }: SimulatorAccount) => sites.flatMap(({ devices }) => devices)

const accountColumns: ReadonlyArray<Column<SimulatorAccount>> = [
  { title: "ACCOUNT", value: ({ id }) => id, whole: true },
  { title: "DEVICES", value: (one) => listDevices(one).length, right: true },
  { title: "DESCRIPTION", value: ({ description, name }) => description ?? name },
  { title: "FAULTS", value: ({ faults }) => faults.map(({ kind }) => kind), wide: true },
  { title: "CLOCK", value: ({ clock }) => describeClock(clock), wide: true }
]

const accountFields = (one: SimulatorAccount) => [
  ["account", one.id] as const,
  ["name", one.name] as const,
  ["what happens", one.description] as const,
  ["clock", describeClock(one.clock)] as const,
  ...one.sites.map(({ address, id }) => [`home ${id}`, `${address.streetOne}, ${address.city}`] as const),
  ...listDevices(one).map(
    ({ id, onlineStatus, state }) =>
      [id, `${onlineStatus} ${state === undefined ? "" : JSON.stringify(state)}`] as const
  ),
  ...one.faults.map((fault) => ["fault", describeFault(fault)] as const)
]

const list = verb(
  "simulator accounts",
  "List the accounts of the simulator, and what happens with each",
  pagingFlags,
  (flags) => showList(flags, "accounts", accountColumns, (query) => request("simulator", "list", { query })),
  ["edp simulator accounts --all"]
)

const show = verb(
  "simulator show",
  "Show an account, its clock, its faults and the states of its devices",
  { account },
  (flags) => showRecord(request("simulator", "get", { params: { id: flags.account } }), accountFields)
)

const seed = Flag.Int("seed").pipe(Flag.withDescription("Seed of the town; default: 1"), Flag.withDefault(1))

const town = verb(
  "simulator town",
  "Link the homes of a simulated town: customers, sites and devices that are alive",
  {
    homes: Flag.Int("homes").pipe(Flag.withDescription("Number of homes; default: 8"), Flag.withDefault(8)),
    seed,
    with: Flag.Literals("with", simulatedTypes).pipe(
      Flag.withDescription("Only homes with a device of this type; default: all"),
      Flag.optional
    ),
    past: durationFlag("past", "Give new homes readings of this past, at most 60d; default: none")
  },
  ({ homes, past, seed: number, with: withDevice }) =>
    linkTown({ homes, seed: number, ...given({ past, withDevice }) }),
  ["edp simulator town --homes 8", "edp simulator town --homes 20 --with battery --past 21d"]
)

const demo = verb(
  "simulator demo",
  "Link the town with three weeks of readings, a dispatch, an account to sign in again and a destination that fails",
  { seed },
  (flags) => linkDemo(flags.seed),
  ["edp simulator demo"]
)

const faultKind = Argument.Literals("kind", simulatorFaultKinds).pipe(
  Argument.withDescription("Kind of the fault; `edp simulator faults kinds` explains them")
)

const add = verb(
  "simulator faults add",
  "Script a fault of an account or of its devices; times are on the account's clock",
  {
    account,
    kind: faultKind,
    device,
    from: text("from", "Begin, a date-time; default: now"),
    until: text("until", "End, a date-time; default: until it is cleared"),
    seconds: Flag.Finite("seconds").pipe(Flag.withDescription("Seconds, as the kind says"), Flag.optional),
    command: Flag.Literals("command", commandSlugs).pipe(Flag.withDescription("The refused command"), Flag.optional),
    reason: Flag.Literals("reason", refusableReasons).pipe(Flag.withDescription("Why it is refused"), Flag.optional),
    fields: several("field", "A field of the reading"),
    factor: Flag.Finite("factor").pipe(Flag.withDescription("Factor of the fields"), Flag.optional)
  },
  ({ account: id, device: deviceId, kind, ...rest }) =>
    showRecord(
      request("simulator", "scriptFault", { params: { id }, payload: { kind, ...given({ deviceId, ...rest }) } }),
      accountFields
    ),
  [
    "edp simulator faults add sunny offline --device sim-sunny-meter",
    "edp simulator faults add sunny rate_limited --seconds 120",
    "edp simulator faults add sunny storm_mode"
  ]
)

const clear = verb(
  "simulator faults clear",
  "Clear faults: all of the account, or those of a kind or a device",
  {
    account,
    kind: Flag.Literals("kind", simulatorFaultKinds).pipe(Flag.withDescription("Kind of the faults"), Flag.optional),
    device
  },
  ({ account: id, device: deviceId, kind }) =>
    showRecord(
      request("simulator", "clearFaults", { params: { id }, query: given({ kind, deviceId }) }),
      accountFields
    ),
  ["edp simulator faults clear sunny --kind storm_mode"]
)

const kindRows = [
  ...Object.entries(accountFaultKinds).map(([kind, effect]) => ({ kind, of: "account", effect })),
  ...Object.entries(deviceFaultKinds).map(([kind, effect]) => ({ kind, of: "devices", effect }))
]

const kinds = verb("simulator faults kinds", "List the kinds of faults", {}, () =>
  showTable(
    { data: kindRows },
    [
      { title: "KIND", value: ({ kind }) => kind, whole: true },
      { title: "OF", value: ({ of }) => of },
      { title: "EFFECT", value: ({ effect }) => effect }
    ],
    kindRows
  )
)

const clock = verb(
  "simulator clock",
  "Set the clock of an account; it never goes ahead of the present",
  {
    account,
    behind: durationFlag(
      "behind",
      "Set it back by this much; the homes begin anew, so the account must not be linked yet"
    ),
    advance: durationFlag("advance", "Advance it, at most to the present"),
    speed: Flag.Finite("speed").pipe(
      Flag.withDescription("Simulated seconds in a second, until it reaches the present; 0: it stands"),
      Flag.optional
    ),
    pause: Flag.Boolean("pause").pipe(Flag.withDescription("The same as --speed 0"), Flag.withDefault(false))
  },
  ({ account: id, advance, behind, pause, speed }) =>
    showRecord(
      request("simulator", "setClock", {
        params: { id },
        payload: given({ behind, advance, speed: pause ? Option.some(0) : speed })
      }),
      accountFields
    ),
  ["edp simulator clock second --behind 2d --speed 60", "edp simulator clock second --advance 6h"]
)

const pair = verb(
  "simulator pair",
  "Pair the platform's key with the vehicles of an account, as their owner does",
  {
    account,
    device,
    remove: Flag.Boolean("remove").pipe(Flag.withDescription("Take the key away"), Flag.withDefault(false))
  },
  ({ account: id, device: deviceId, remove }) =>
    showRecord(
      request("simulator", "pairKey", { params: { id }, payload: { paired: !remove, ...given({ deviceId }) } }),
      accountFields
    ),
  ["edp simulator pair unpaired"]
)

const storm = verb(
  "simulator storm",
  "Let a storm come over the homes of an account",
  { account, hours: Flag.Finite("hours").pipe(Flag.withDescription("Hours; default: 4"), Flag.withDefault(4)) },
  Effect.fnUntraced(function* ({ account: id, hours }) {
    const { clock } = yield* request("simulator", "get", { params: { id } })
    const until = new Date(Date.parse(clock.time) + hours * 3_600_000).toISOString()
    yield* showRecord(
      request("simulator", "scriptFault", { params: { id }, payload: { kind: "storm_mode", until } }),
      accountFields
    )
  }),
  ["edp simulator storm sunny --hours 2"]
)

const addHome = verb(
  "simulator homes add",
  "Add a home to an account; its devices are imported when the account is next listed",
  { account },
  ({ account: id }) => showRecord(request("simulator", "addHome", { params: { id }, payload: {} }), accountFields)
)

const removeHome = verb(
  "simulator homes remove",
  "Remove a home from an account",
  { account, home: Argument.String("home").pipe(Argument.withDescription("Id of the home, such as sim-sunny")) },
  ({ account: id, home: siteId }) =>
    showRecord(request("simulator", "removeHome", { params: { id, siteId } }), accountFields)
)

const remove = verb(
  "simulator remove",
  "Remove an account of a town, or let a test account begin anew; its tokens end",
  { account, yes },
  ({ account: id, yes }) =>
    confirmDeletion({
      yes,
      id,
      question: `Remove the account ${id} and end its tokens?`,
      call: request("simulator", "remove", { params: { id } }),
      done: `The account ${id} was removed.`
    })
)

const faults = Command.make("faults").pipe(
  Command.withDescription("Faults of accounts and devices"),
  Command.withSubcommands([add, clear, kinds])
)

const homes = Command.make("homes").pipe(
  Command.withDescription("Homes of an account"),
  Command.withSubcommands([addHome, removeHome])
)

export const simulator = Command.make("simulator").pipe(
  Command.withDescription("The simulated manufacturer: its accounts, homes, faults and clocks"),
  Command.withSubcommands([list, show, town, demo, faults, clock, pair, storm, homes, remove])
)
