import { text } from "../../flags.ts"

export const plainFlags = {
  referenceId: text("reference-id", "Reference in your system, unique in the workspace"),
  firstName: text("first-name", "Given name"),
  lastName: text("last-name", "Family name"),
  email: text("email", "E-mail address"),
  phone: text("phone", "Telephone number")
}
