/** A value of a family, told apart from its others by labels. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** What is measured under one name. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: "counter" | "gauge"
  readonly samples: ReadonlyArray<Sample>
}

const escaped = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")

const labelText = (labels: Readonly<Record<string, string>> = {}) => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`)
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`
}

/** Families in the text format of Prometheus; one without a value is left out. */
export const prometheusText = (families: ReadonlyArray<Family>): string =>
  families
    .filter(({ samples }) => samples.length > 0)
    .map(({ help, name, samples, type }) =>
      [
        `# HELP ${name} ${escaped(help)}`,
        `# TYPE ${name} ${type}`,
        ...samples.map(({ labels, value }) => `${name}${labelText(labels)} ${value}`),
        ""
      ].join("\n")
    )
    .join("")

export const gauge = (name: string, help: string, ...samples: ReadonlyArray<Sample>): Family => ({
  name,
  help,
  type: "gauge",
  samples
})

export const counter = (name: string, help: string, ...samples: ReadonlyArray<Sample>): Family => ({
  name,
  help,
  type: "counter",
  samples
})
