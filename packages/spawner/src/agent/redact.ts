const secretName =
  /(^|_)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|COOKIE|DSN|PAT)($|_)|APIKEY|DATABASE_URL|CONNECTION_STRING/i;
const shortest = 8;
const mark = '[redacted]';

/** Shapes of tokens that are always secret, no matter who owns them. */
const shapes: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /\b(?:gh[opsur]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\bya29\.[A-Za-z0-9_-]{20,}/g,
  /\b(?:npm|hf)_[A-Za-z0-9]{20,}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];
const bearer = /\b(Bearer|Basic) [A-Za-z0-9._~+/-]{16,}=*/g;
const urlPassword = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*:)[^\s@/]+@/gi;

/** Values of an environment's variables whose names say that they are secret. */
export function secretValues(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && secretName.test(name) ? [value] : [],
  );
}

/**
 * Makes a function that takes secrets out of text: the given values, or the secret values of an environment (also line by line, in base64, URL- and
 * JSON-encoded) and everything that has the shape of a well-known token. Values under 8 characters are left: they
 * would take ordinary words with them.
 */
export function redactor(
  source: Iterable<string> | Readonly<Record<string, string | undefined>>,
): (text: string) => string {
  const secrets = Symbol.iterator in source ? (source as Iterable<string>) : secretValues(source);
  const forms = new Set<string>();
  for (const secret of secrets) {
    for (const part of [secret, ...secret.split(/\r?\n/)]) {
      if (part.length < shortest) continue;
      for (const form of [
        part,
        Buffer.from(part).toString('base64').replace(/=+$/, ''),
        encodeURIComponent(part),
        JSON.stringify(part).slice(1, -1),
      ])
        forms.add(form);
    }
  }
  // Longest first: a secret that begins with another one must not leave its end behind.
  const known = [...forms].sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const form of known) if (clean.includes(form)) clean = clean.replaceAll(form, mark);
    for (const shape of shapes) clean = clean.replace(shape, mark);
    return clean.replace(bearer, `$1 ${mark}`).replace(urlPassword, `$1${mark}@`);
  };
}
