import { SchemaAST } from "effect"
import type { AnyManufacturerAdapter } from "./ManufacturerAdapter.ts"

/** A setting of the operator for an adapter. */
export interface AdapterSetting {
  readonly name: string
  readonly isRequired: boolean
}

/** The settings of an adapter, as its schema names them. */
export const listSettings = ({ settings }: Pick<AnyManufacturerAdapter, "settings">): ReadonlyArray<AdapterSetting> => {
  const ast = SchemaAST.toEncoded(settings.ast)
  return ast._tag !== "Objects"
    ? []
    : ast.propertySignatures.map(({ name, type }) => ({ name: String(name), isRequired: !SchemaAST.isOptional(type) }))
}
