//! What every secret store promises, whatever stands between it and its caller.

use api::secrets::{Error, Keeper, Kept, SECRET_VALUE_BYTES, SecretName, SecretValue, Secrets};
use domain::fault::Coded;

fn name(text: &str) -> SecretName {
    text.parse().unwrap()
}

fn value(bytes: &[u8]) -> SecretValue {
    SecretValue::new(bytes.to_vec())
}

async fn code(secrets: &dyn Secrets, name: &str) -> &'static str {
    match secrets.get_secret(name).await {
        Ok(_) => panic!("{name} was given"),
        Err(error) => error.code(),
    }
}

/// Reading: `secrets` gives what `keeper` keeps, and nothing else. The store may hold other
/// secrets; it has none named like those of the suite, and none is left behind.
///
/// # Panics
/// At the first promise that is broken.
pub async fn conformance(secrets: &dyn Secrets, keeper: &dyn Keeper) {
    let (one, two) = (name("suite-one"), name("suite-two"));
    assert_eq!(code(secrets, "suite-one").await, "secrets.not_found");
    for bad in ["", "../suite-one", "suite one", "suite-one\n"] {
        assert_eq!(code(secrets, bad).await, "secrets.invalid_name");
    }

    // Any byte is kept as it is: zero, line ends, bytes that are no text.
    let bytes: Vec<u8> = (0..=255).collect();
    assert_eq!(keeper.set(&one, value(&bytes)).await.unwrap(), Kept::Added);
    assert_eq!(keeper.set(&two, value(b"2\n")).await.unwrap(), Kept::Added);
    assert!(
        secrets
            .get_secret("suite-one")
            .await
            .unwrap()
            .matches(&bytes)
    );
    assert!(
        secrets
            .get_secret("suite-two")
            .await
            .unwrap()
            .matches(b"2\n")
    );

    let longest = vec![7; SECRET_VALUE_BYTES];
    assert_eq!(
        keeper.set(&one, value(&longest)).await.unwrap(),
        Kept::Replaced
    );
    assert!(
        secrets
            .get_secret("suite-one")
            .await
            .unwrap()
            .matches(&longest)
    );
    for refused in [Vec::new(), vec![7; SECRET_VALUE_BYTES + 1]] {
        let error = keeper.set(&one, value(&refused)).await.unwrap_err();
        assert_eq!(error.code(), "secrets.invalid_value");
    }
    assert!(
        secrets
            .get_secret("suite-one")
            .await
            .unwrap()
            .matches(&longest)
    );

    let names = keeper.names().await.unwrap();
    assert!(names.is_sorted() && names.contains(&one) && names.contains(&two));
    keeper.remove(&one).await.unwrap();
    assert_eq!(code(secrets, "suite-one").await, "secrets.not_found");
    assert!(
        secrets
            .get_secret("suite-two")
            .await
            .unwrap()
            .matches(b"2\n")
    );
    let error = keeper.remove(&one).await.unwrap_err();
    assert!(matches!(error, Error::NotFound { .. }), "{error}");
    keeper.remove(&two).await.unwrap();
    let names = keeper.names().await.unwrap();
    assert!(!names.contains(&one) && !names.contains(&two));
}
