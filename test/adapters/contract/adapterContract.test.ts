import { testAdapterContract } from "@edp/adapter-kit/testing/adapterContract"
import { afterAll, beforeAll, it } from "vitest"
import { describeServer } from "../../support/describeServer.ts"
import { contractAdapters, contractCases } from "./contractCases.ts"

for (const contractCase of contractCases) {
  const adapter = contractAdapters.find(({ manifest }) => manifest.slug === contractCase.slug)
  // The test of manifests fails for a case without an adapter.
  if (adapter === undefined) continue
  const { isAvailable = true, program = "" } = contractCase.needs ?? {}
  describeServer(program, isAvailable, `the adapter ${adapter.manifest.slug}`, () =>
    testAdapterContract(adapter, contractCase, { afterAll, beforeAll, it })
  )
}
