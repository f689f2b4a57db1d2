import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { Effect } from "effect"
import { localhostCertificate } from "../../../support/peers/localhostCertificate.ts"

/** The certificate of localhost is of an authority that this process trusts, for the scope's time. */
export const trusted = Effect.acquireRelease(
  Effect.sync(() => {
    const before = getCACertificates("default")
    setDefaultCACertificates([...before, localhostCertificate.cert])
    return before
  }),
  (before) => Effect.sync(() => setDefaultCACertificates(before))
)
