import type { BytePath } from '../tree/byte-path.ts';

/** Names of files that usually hold secrets. An example or template of one holds none. */
const secretName =
  /^(\.env(\..+)?|.+\.(pem|key|p12|pfx|jks|keystore|kdbx|ovpn)|id_(rsa|dsa|ecdsa|ed25519).*|\.npmrc|\.pypirc|\.netrc|_netrc|\.git-credentials|credentials(\.json)?|secrets?\.(json|ya?ml|toml|env)|service-account.*\.json|\.htpasswd)$/is;
const harmless = /\.(example|sample|template|dist|pub)$|^\.env\.(example|sample|template|test)$/i;

/** Whether a file is, by its name, likely to hold secrets; names are bytes, and may hold line ends. */
export function isSecretLike(file: BytePath): boolean {
  const name = file.split('/').at(-1) ?? '';
  return secretName.test(name) && !harmless.test(name);
}
