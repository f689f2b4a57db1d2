import { Context } from "effect"

/** Whether the operator allowed the tool to make what is missing: keys, and for an import sites and devices. */
export class Provision extends Context.Reference<boolean>("@edp/cli/Provision", { defaultValue: () => false }) {}
