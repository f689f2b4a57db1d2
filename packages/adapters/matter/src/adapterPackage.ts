import { type AdapterPackage, PORT_VERSION } from "@edp/adapter-kit/AdapterPackage"
import { matterAdapter } from "./matterAdapter.ts"

// Without the library the start of the service ends here, with its name, rather than the first pairing.
import.meta.resolve("@matter/main")
import.meta.resolve("@matter/nodejs/config")

const port: typeof PORT_VERSION = 1

/** The package that `EDP_ADAPTERS` names. */
const adapterPackage: AdapterPackage = { port, adapter: matterAdapter }
export default adapterPackage
