/** Why a field was refused; the pages have a sentence for each, per language. */
export type FieldProblem =
  | "required"
  | "too_long"
  | "invalid_email"
  | "invalid_phone"
  | "invalid_address"
  | "invalid_choice"
  | "invalid_number"
  | "invalid_host"
  | "select_one"

/** The fields of a form as they were typed, and what is wrong with them. */
export interface FormState {
  readonly values: Readonly<Record<string, string>>
  readonly problems: Readonly<Record<string, FieldProblem>>
}

/** The result of a form: what was typed, or what is wrong with it. */
export type Read<A> = { readonly form: FormState; readonly value: A | undefined }
