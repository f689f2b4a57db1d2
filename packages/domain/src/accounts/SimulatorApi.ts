import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Schema } from "effect"
import { NeedsBody, describe } from "../auth/annotations.ts"
import { NotFound, ValidationError } from "../errors/ApiErrors.ts"
import { PathSlug } from "../shared/Cuid.ts"
import { Page, paging } from "../shared/Page.ts"
import { oneOf } from "../shared/quantities.ts"
import { StoredText, Text } from "../shared/Text.ts"
import {
  AddHome,
  GrowTown,
  PairKey,
  ScriptFault,
  SetClock,
  SimulatorAccount,
  simulatorFaultKinds
} from "./Simulator.ts"

const accounts = "/dashboard/api/simulator/accounts"
const params = { id: PathSlug }
const management = ["MANAGEMENT"] as const

const Town = Schema.Struct({
  accountIds: Schema.Array(StoredText(100)).annotate({ description: "The account of each home" })
}).annotate({ identifier: "SimulatorTown", description: "The accounts of a simulated town" })

export class SimulatorApi extends HttpApiGroup.make("simulator")
  .add(
    HttpApiEndpoint.get("list", accounts, {
      query: paging(),
      success: Page(SimulatorAccount),
      error: ValidationError
    }).annotateMerge(
      describe(
        management,
        "List simulated accounts",
        "The test accounts of every installation, then the homes of towns. Devices are listed without their states."
      )
    ),
    HttpApiEndpoint.get("get", `${accounts}/:id`, { params, success: SimulatorAccount, error: NotFound }).annotateMerge(
      describe(management, "Get a simulated account", "One account, with the states of its devices in the simulation.")
    ),
    HttpApiEndpoint.delete("remove", `${accounts}/:id`, {
      params,
      success: HttpApiSchema.NoContent,
      error: NotFound
    }).annotateMerge(
      describe(
        management,
        "Remove a simulated account",
        "Its tokens end. A test account stays and begins anew, as before its first use."
      )
    ),
    HttpApiEndpoint.post("growTown", "/dashboard/api/simulator/town", {
      payload: GrowTown,
      success: Town,
      error: [ValidationError, NotFound]
    }).annotateMerge(
      describe(
        management,
        "Grow the town",
        "Adds the homes that the town lacks, an account each. The same seed gives the same homes; repeated calls add nothing."
      )
    ),
    HttpApiEndpoint.post("addHome", `${accounts}/:id/homes`, {
      params,
      payload: AddHome,
      success: SimulatorAccount,
      error: [ValidationError, NotFound]
    }).annotateMerge(
      describe(
        management,
        "Add a home to an account",
        "Its devices appear when the platform next asks for the account's devices."
      )
    ),
    HttpApiEndpoint.delete("removeHome", `${accounts}/:id/homes/:siteId`, {
      params: { id: PathSlug, siteId: PathSlug },
      success: SimulatorAccount,
      error: [ValidationError, NotFound]
    }).annotateMerge(
      describe(management, "Remove a home from an account", "The manufacturer does not list its devices any more.")
    ),
    HttpApiEndpoint.post("scriptFault", `${accounts}/:id/faults`, {
      params,
      payload: ScriptFault,
      success: SimulatorAccount,
      error: [ValidationError, NotFound]
    }).annotateMerge(
      describe(
        management,
        "Script a fault",
        "A fault of the account or of its devices, from now or `from` on. Its times are on the account's clock."
      )
    ),
    HttpApiEndpoint.delete("clearFaults", `${accounts}/:id/faults`, {
      params,
      query: {
        kind: Schema.optionalKey(oneOf(simulatorFaultKinds, "Faults of this kind alone")),
        deviceId: Schema.optionalKey(Text(1, 255).annotate({ description: "Faults of this device alone" }))
      },
      success: SimulatorAccount,
      error: [ValidationError, NotFound]
    }).annotateMerge(
      describe(management, "Clear faults", "Ends faults that are in force and takes later ones off the script.")
    ),
    HttpApiEndpoint.post("setClock", `${accounts}/:id/clock`, {
      params,
      payload: SetClock,
      success: SimulatorAccount,
      error: [ValidationError, NotFound]
    })
      .annotate(NeedsBody, true)
      .annotateMerge(
        describe(
          management,
          "Set the clock of an account",
          "A clock is never ahead of the present: a fast one runs until it gets there. Set back, the homes of the account begin anew in the past, which a linked account does not allow."
        )
      ),
    HttpApiEndpoint.post("pairKey", `${accounts}/:id/key`, {
      params,
      payload: PairKey,
      success: SimulatorAccount,
      error: [ValidationError, NotFound]
    }).annotateMerge(
      describe(management, "Pair the platform's key", "As the owner of a vehicle does; `paired: false` takes it away.")
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Simulator",
      description:
        "The simulated manufacturer: its accounts, homes, faults and clocks. It is no part of an organization's data, so its changes are not in the audit log."
    })
  ) {}
