import type { Account } from "../Account.ts"
import type { AdapterError } from "../AdapterError.ts"
import type { AdapterInstance, LinkedAccount } from "../ManufacturerAdapter.ts"
import type { Effect } from "effect"
import type { HttpClient } from "effect/http"
import type { TestHost } from "./TestHost.ts"

type Linking = (instance: AdapterInstance<any>, platform: TestHost) => Effect.Effect<LinkedAccount<any>, AdapterError>

/** The other side of an adapter in the contract test: a simulated cloud, a broker, a device. */
export interface ContractPeer {
  /** Settings that name the peer, in place of those of the example. */
  readonly settings?: Readonly<Record<string, string>>
  /** Address of the platform, if the peer has to know it. */
  readonly publicUrl?: string
  /** The client that the platform gives to the adapter. */
  readonly http?: HttpClient.HttpClient
  /** Links an account as a person does, with at least one device for which the adapter has commands, if it has any. */
  readonly link: Linking
  /** Secrets of the account that `link` links. They may occur in nothing that is logged, reported or thrown. */
  readonly secrets: () => ReadonlyArray<string>
  /** Makes devices that report by themselves do so. Required without `readDevices`. */
  readonly report?: (platform: TestHost, account: Account<any>) => Promise<void>
  /** From now on, responses and messages hold values that no version of the adapter knows. */
  readonly sendUnknownValues?: () => Promise<void>
  /** Links an account whose next reading is answered that there were too many calls. Required where calls are limited. */
  readonly linkThrottled?: Linking
  /** From now on, the account's login or permission is refused. */
  readonly refuse?: () => Promise<void>
  readonly close: () => Promise<void>
}

/** An adapter's part in the contract test. */
export interface ContractCase {
  readonly slug: string
  /** Complete settings, as its page of the docs names them; none for an adapter without settings. */
  readonly settings: Readonly<Record<string, string>>
  /** A value for each setting that is not valid. */
  readonly wrongSettings: Readonly<Record<string, string>>
  readonly start: () => Promise<ContractPeer>
}
