import type {
  AddHome,
  GrowTown,
  PairKey,
  ScriptFault,
  SetClock,
  SimulatorAccount,
  SimulatorFaultKind
} from "@edp/domain/accounts/Simulator"
import type { NotFound, ValidationError } from "@edp/domain/errors/ApiErrors"
import type { Effect } from "effect"

type Changed = Effect.Effect<SimulatorAccount, NotFound | ValidationError>

/** The operators' access to a simulated manufacturer: its accounts, homes, faults and clocks. */
export interface Simulation {
  readonly list: (page: { readonly page: number; readonly perPage: number }) => Effect.Effect<{
    readonly data: ReadonlyArray<SimulatorAccount>
    readonly totalItems: number
  }>
  /** One account with the states of its devices. */
  readonly get: (id: string) => Effect.Effect<SimulatorAccount, NotFound>
  /** Adds the missing homes of a town, an account each, and returns the ids of all. */
  readonly growTown: (input: GrowTown) => Effect.Effect<ReadonlyArray<string>>
  /** Removes an account that was added; a test account begins anew. Its tokens are revoked. */
  readonly remove: (id: string) => Effect.Effect<void, NotFound>
  readonly addHome: (id: string, input: AddHome) => Changed
  readonly removeHome: (id: string, siteId: string) => Changed
  readonly scriptFault: (id: string, input: ScriptFault) => Changed
  /** Ends faults: of one kind, of one device, or all. */
  readonly clearFaults: (
    id: string,
    which: { readonly kind?: SimulatorFaultKind; readonly deviceId?: string }
  ) => Changed
  readonly setClock: (id: string, input: SetClock) => Changed
  readonly pairKey: (id: string, input: PairKey) => Changed
}
