import type { ContractCase } from "@edp/adapter-kit/testing/ContractCase"

/** An adapter's part in the contract test: `test/adapters/<slug>/contractCase.ts` exports `contractCases`. */
export interface BuiltInCase extends ContractCase {
  /** The program without which the peer can't run. */
  readonly needs?: { readonly program: string; readonly isAvailable: boolean }
}
