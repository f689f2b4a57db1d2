/** The fields of an object of OpenADR. */
export type ObjectBody = Readonly<Record<string, unknown>>
