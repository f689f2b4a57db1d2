const articles = new Set(["a", "an", "the"])

const capital = (word: string) => word[0]!.toUpperCase() + word.slice(1).toLowerCase()

/**
 * The name of an operation in generated clients, from its summary: "Read a device's history" is readDeviceHistory.
 * Where a summary is to change and the name is not, the endpoint's identifier annotation keeps the name.
 */
export const operationIdOf = (summary: string): string =>
  summary
    .replace(/'s?\b/g, "")
    .split(" ")
    .filter((word) => !articles.has(word.toLowerCase()))
    .map((word, index) => (index === 0 ? word.toLowerCase() : capital(word)))
    .join("")

const list = (words: ReadonlyArray<string>) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

const article = (word: string | undefined) => (word?.startsWith("A") ? "an" : "a")

const counted = {
  read: "counts in the read class",
  write: "counts in the write class",
  bulk: "counts in the bulk class",
  readings: "counts in the bulk class with `readings`, else in the write class"
} as const

export type RateClass = keyof typeof counted

/** Who may call, and what a call counts as. It is the last paragraph of every description. */
export const callers = (keyTypes: ReadonlyArray<string>, rateClass: RateClass): string =>
  `Needs ${article(keyTypes[0])} ${list(keyTypes)} key; ${counted[rateClass]}.`
